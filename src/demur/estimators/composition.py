"""What the classifiers share that are made of several named classifiers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

from sklearn import get_config
from sklearn.base import ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import _BaseComposition

from demur._checks import input_error
from demur.estimators.out_of_fold import share_right, weight_params
from demur.typing import IntArray

__all__ = ["NamedClassifiers"]


class NamedClassifiers(ClassifierMixin, _BaseComposition):  # type: ignore[misc]
    """Classifier of a list of (name, classifier); subclasses fit them and say how they `decide`."""

    estimators: list[tuple[str, Any]]
    _outcomes: Any

    @abstractmethod
    def decide(self, X: Any) -> IntArray:
        """Return the index of the class for every case, `ABSTAIN` where it is abstained on."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - scikit-learn's signature
        """Return the parameters, with those of the classifiers as ``name__parameter``."""
        params: dict[str, Any] = self._get_params("estimators", deep=deep)
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also of the classifiers (``name__parameter``) and whole ones (``name``)."""
        self._set_params("estimators", **params)
        return self

    def _named(self) -> list[tuple[str, Any]]:
        """Return the list, checked."""
        given = self.estimators
        if not _are_named(given):
            raise input_error(
                "estimators",
                "must be a non-empty list of (name, classifier)",
                repr(given),
                'such as [("quick", LogisticRegression()), ("slow", RandomForestClassifier())].',
            )
        self._validate_names([name for name, _ in given])
        return list(given)

    def _members(self) -> list[tuple[str, Any]]:
        """Return the unfitted classifiers as they will be fitted."""
        return self._named()

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the router: everything goes to `fit` of the classifiers that ask for it."""
        router = MetadataRouter(owner=type(self).__name__)
        for name, member in self._members():
            router.add(**{name: member}, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        return router

    def _fit_weights(self, members: list[tuple[str, Any]], weights: Any) -> dict[str, Any]:
        """Weights for each classifier, None where it takes none."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=weights)
            return {name: routed[name].fit.get("sample_weight") for name, _ in members}
        return {name: weight_params(member, weights, {}).get("sample_weight") for name, member in members}

    def _take_features_of(self, fitted: Any) -> None:
        """Take number and names of the features from a fitted classifier."""
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    @property
    def abstain_label_(self) -> Any:
        """Prediction for cases abstained on."""
        return self._outcomes[-1:].tolist()[0]

    def predict(self, X: Any) -> Any:
        """Return the label for every case, `abstain_label_` where it is abstained on."""
        decided = self.decide(X)
        return self._outcomes[decided]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of cases answered rightly; the higher the better. An abstention is no answer."""
        return share_right(self._outcomes, self.decide(X), y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # tags are asked for before `fit` checks the list
        inner = [get_tags(member) for _, member in self.estimators] if _are_named(self.estimators) else []
        tags.input_tags.sparse = all(member.input_tags.sparse for member in inner)
        tags.input_tags.allow_nan = all(member.input_tags.allow_nan for member in inner)
        tags.classifier_tags.multi_class = all(
            bool(member.classifier_tags and member.classifier_tags.multi_class) for member in inner
        )
        return tags


def _are_named(given: Any) -> bool:
    """Tell whether there are classifiers and each has a name."""
    pairs = isinstance(given, (list, tuple)) and all(
        isinstance(one, tuple) and len(one) == 2 for one in given
    )
    return pairs and len(given) > 0

"""scikit-learn estimators and forecasters, one file per family."""

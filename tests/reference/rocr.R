# Writes rocr.json: what ROCR 1.0-11 says about one sample of tied scores.
# Rscript tests/reference/rocr.R > tests/reference/rocr.json
suppressPackageStartupMessages({library(ROCR); library(jsonlite)})
set.seed(20)
y <- rep(c(0, 1), c(45, 35))
s <- round(rnorm(80) + 1.2 * y, 1)
p <- prediction(s, y)
pairs <- function(measure, other) {
  made <- performance(p, measure, other)
  list(x = made@x.values[[1]], y = made@y.values[[1]])
}
envelope <- performance(p, "ecost")
cost <- performance(p, "cost", cost.fp = 1, cost.fn = 4)
page <- performance(prediction(c(.1, .3, .35, .6, .7, .9), c(0, 0, 1, 0, 1, 1)), "ecost")
out <- list(
  version = as.character(packageVersion("ROCR")), r = R.version$version.string, date = as.character(Sys.Date()),
  data = list(y = y, s = s),
  roc = pairs("tpr", "fpr"), hull = pairs("rch", "fpr"), auc = performance(p, "auc")@y.values[[1]],
  ecost = list(x = envelope@x.values[[1]], y = envelope@y.values[[1]]),
  cost = list(cutoff = cost@x.values[[1]], cost = cost@y.values[[1]]),
  page = list(x = page@x.values[[1]], y = page@y.values[[1]])
)
cat(toJSON(out, digits = 15, auto_unbox = TRUE, pretty = FALSE), "\n")

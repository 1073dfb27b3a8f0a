# Writes calibration.json: glm and its profile intervals of a logistic recalibration.
# Rscript tests/reference/calibration.R > tests/reference/calibration.json
suppressPackageStartupMessages({library(MASS); library(jsonlite)})
set.seed(7)
n <- 60
truth <- rnorm(n)
y <- as.integer(runif(n) < plogis(truth))
p <- round(plogis(1.7 * truth + 0.4), 3)
x <- qlogis(p)
fit <- glm(y ~ x, family = binomial, control = list(epsilon = 1e-14, maxit = 100))
large <- glm(y ~ offset(x), family = binomial, control = list(epsilon = 1e-14, maxit = 100))
limits <- suppressMessages(confint(fit))
limits_large <- suppressMessages(confint(large))
null <- -2 * sum(dbinom(y, 1, p, log = TRUE))
out <- list(version = R.version.string, y = y, p = p,
  intercept = unname(coef(fit)[1]), slope = unname(coef(fit)[2]), in_the_large = unname(coef(large)),
  intercept_interval = unname(limits[1, ]), slope_interval = unname(limits[2, ]),
  in_the_large_interval = unname(limits_large), pvalue = pchisq(null - deviance(fit), 2, lower.tail = FALSE))
cat(toJSON(out, digits = NA, auto_unbox = TRUE, pretty = TRUE))

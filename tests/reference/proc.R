# Writes proc.json: what pROC 1.18.0 says about one sample of tied scores and a second, independent one.
# Rscript tests/reference/proc.R > tests/reference/proc.json
suppressPackageStartupMessages({library(pROC); library(jsonlite)})
options(warn = -1)
set.seed(20)
y <- rep(c(0, 1), c(45, 35))
common <- rnorm(80)
a <- round(common + rnorm(80) + 1.6 * y, 1)
b <- round(common + rnorm(80) + 0.9 * y, 1)
y2 <- rep(c(0, 1), c(40, 30))
c2 <- round(rnorm(70) + 0.8 * y2, 1)
three <- rep(c("low", "mid", "top"), c(30, 25, 25))
shares <- exp(cbind(low = -a, mid = -abs(b), top = a) / 2)
shares <- shares / rowSums(shares)
sizes <- c("small", "medium", "large")
a_size <- 1 + (a > 0) + (a > 1.5)
A <- roc(y, a, direction = "<", quiet = TRUE)
B <- roc(y, b, direction = "<", quiet = TRUE)
C <- roc(y2, c2, direction = "<", quiet = TRUE)
ret <- c("threshold", "specificity", "sensitivity", "accuracy", "tn", "tp", "fn", "fp", "npv", "ppv", "youden", "closest.topleft")
point <- function(...) as.list(coords(A, ..., ret = ret, transpose = FALSE)[1, ])
test <- function(...) { t <- roc.test(...); list(statistic = unname(t$statistic), p = t$p.value) }
part <- function(r, ...) as.numeric(auc(r, ...))
quiet <- function(expr) { sink("/dev/null"); on.exit(sink()); force(expr) }
set.seed(1)
out <- list(
  version = as.character(packageVersion("pROC")),
  data = list(y = y, a = a, b = b, y2 = y2, c2 = c2, three = three),
  auc = list(a = as.numeric(auc(A)), b = as.numeric(auc(B)), c = as.numeric(auc(C))),
  curve = list(thresholds = A$thresholds, specificity = A$specificities, sensitivity = A$sensitivities),
  direction = list(auto_flipped = as.numeric(auc(roc(y, -a, quiet = TRUE))), chosen = roc(y, -a, quiet = TRUE)$direction),
  variance = list(delong = var(A), obuchowski = var(A, method = "obuchowski")),
  covariance = cov(A, B),
  interval = as.numeric(ci.auc(A, method = "delong")),
  coords = list(
    fixed = point(0.55), youden = point("best", best.method = "youden"),
    closest = point("best", best.method = "closest.topleft"),
    costs = point("best", best.method = "youden", best.weights = c(0.25, 0.1)),
    sensitivity = point(0.9, input = "sensitivity"), specificity = point(0.9, input = "specificity")),
  bootstrap = list(
    se = { m <- ci.se(A, specificities = c(0.7, 0.8, 0.9), boot.n = 4000, progress = "none"); unname(apply(m, 1, as.numeric)) },
    sp = { m <- ci.sp(A, sensitivities = c(0.7, 0.8, 0.9), boot.n = 4000, progress = "none"); unname(apply(m, 1, as.numeric)) },
    thresholds = { m <- ci.thresholds(A, thresholds = 0.55, boot.n = 4000, progress = "none"); list(sp = as.numeric(m$specificity), se = as.numeric(m$sensitivity)) },
    coords = { m <- ci.coords(A, x = "best", best.policy = "random", ret = c("specificity", "sensitivity"), boot.n = 2000, progress = "none"); list(sp = as.numeric(m$specificity), se = as.numeric(m$sensitivity)) },
    partial = as.numeric(ci.auc(roc(y, a, direction = "<", quiet = TRUE, partial.auc = c(1, 0.8)), boot.n = 4000, progress = "none")),
    partial_test = test(A, B, partial.auc = c(1, 0.8), method = "bootstrap", boot.n = 4000, progress = "none", reuse.auc = FALSE),
    partial_unpaired = test(A, C, partial.auc = c(1, 0.8), method = "bootstrap", boot.n = 4000, progress = "none", reuse.auc = FALSE, paired = FALSE),
    specificity_test = test(A, B, method = "specificity", specificity = 0.8, boot.n = 4000, progress = "none"),
    sensitivity_test = test(A, B, method = "sensitivity", sensitivity = 0.8, boot.n = 4000, progress = "none"),
    specificity_unpaired = test(A, C, method = "specificity", specificity = 0.8, boot.n = 4000, progress = "none", paired = FALSE),
    auc_test = test(A, B, method = "bootstrap", boot.n = 4000, progress = "none"),
    venkatraman = test(A, B, method = "venkatraman", boot.n = 4000, progress = "none")$p,
    venkatraman_unpaired = test(A, C, method = "venkatraman", boot.n = 4000, progress = "none", paired = FALSE)$p),
  partial = list(
    specificity = part(A, partial.auc = c(1, 0.8)),
    corrected = part(A, partial.auc = c(1, 0.8), partial.auc.correct = TRUE),
    sensitivity = part(A, partial.auc = c(1, 0.8), partial.auc.focus = "sensitivity"),
    inner = part(A, partial.auc = c(0.9, 0.6))),
  tests = list(paired = test(A, B), unpaired = test(A, C, paired = FALSE)),
  power = list(
    power = power.roc.test(auc = 0.8, ncases = 40, ncontrols = 60, sig.level = 0.05)$power,
    ncases = power.roc.test(auc = 0.8, power = 0.9, kappa = 2, sig.level = 0.05)$ncases,
    level = power.roc.test(auc = 0.8, ncases = 30, ncontrols = 30, power = 0.9, sig.level = NULL)$sig.level,
    auc = power.roc.test(ncases = 30, ncontrols = 30, power = 0.9, sig.level = 0.05)$auc,
    two_ncases = power.roc.test(A, B, power = 0.9)$ncases,
    two_power = power.roc.test(A, B)$power,
    two_level = power.roc.test(A, B, power = 0.9, sig.level = NULL)$sig.level,
    two_power_swapped = power.roc.test(B, A)$power),
  smooth = list(
    binormal = as.numeric(auc(smooth(A, method = "binormal"))),
    density = as.numeric(auc(smooth(A, method = "density", n = 4096))),
    fitdistr = as.numeric(auc(smooth(A, method = "fitdistr", density = "normal")))),
  multiclass = as.numeric(multiclass.roc(three, as.numeric(a), direction = "<", quiet = TRUE)$auc),
  # nothing below draws random numbers
  multiclass_matrix = as.numeric(multiclass.roc(three, shares)$auc),
  missing = as.numeric(auc(roc(y, replace(a, c(3, 50), NA), direction = "<", quiet = TRUE))),
  words = as.numeric(auc(roc(ifelse(y == 1, "ill", "healthy"), factor(sizes[a_size], levels = sizes, ordered = TRUE),
    levels = c("healthy", "ill"), direction = "<", quiet = TRUE))),
  below_diagonal = is.na(part(roc(y, -a, direction = "<", quiet = TRUE), partial.auc = c(1, 0.9), partial.auc.correct = TRUE))
)
cat(toJSON(out, digits = NA, auto_unbox = TRUE, pretty = TRUE))

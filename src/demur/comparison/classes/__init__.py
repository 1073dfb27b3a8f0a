"""The answer for any number of classes: rules of class weights on honest numbers.

`question` holds costs, ranges and limits, `rows` the checked cases and their folds, `search` chooses
rules on some cases, `judging` decides every case by rules chosen without it, `estimates` turns
decisions into costs and intervals, `answer` and `words` tell the result.
"""

# R: facelift through reticulate, with a table and a model of R. Plain lists go back and forth,
# so that it also works where R and Python disagree about versions of NumPy.
library(reticulate)
fl <- import("facelift", convert = FALSE)
pd <- import("pandas", convert = FALSE)

set.seed(1)
people <- data.frame(income = round(runif(300, 10, 90)), debt = round(runif(300, 0, 40)))
paid <- people$income - people$debt + rnorm(300, 0, 10) > 30
fitted <- glm(paid ~ income + debt, binomial, data = people)
chances <- function(rows) {
  rows <- as.data.frame(lapply(py_to_r(rows$to_dict("list")), unlist))
  good <- predict(fitted, rows, type = "response")
  lapply(unname(good), function(chance) c(1 - chance, chance))
}

explainer <- fl$FACElift(chances, steps = "actions", n_counterfactuals = 3L)
ways <- explainer$fit(pd$DataFrame(people))$explain(list(income = 30, debt = 20), target = 1L)
steps <- fl$views$text$journey_sentences(fl$recommend(ways))
cat(unlist(lapply(py_to_r(steps), as.character)), sep = "\n")

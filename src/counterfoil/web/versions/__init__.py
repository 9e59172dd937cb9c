"""The counterfactual view: one question in all its versions, with what everybody answered to each."""

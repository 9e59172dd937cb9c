"""explain: does the model clear up the confusion, where there is one, and only there?"""

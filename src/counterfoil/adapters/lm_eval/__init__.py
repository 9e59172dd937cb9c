"""The suites as tasks of lm-eval: a YAML file for each task, all of one class.

`counterfoil lm-eval-path` prints this folder, for lm-eval's `--include_path`.
"""

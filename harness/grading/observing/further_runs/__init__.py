"""Run scenarios again: passing ones to measure speed and cost, failing ones to detect results that
depend on chance."""

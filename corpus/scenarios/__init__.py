"""The scenarios: what is done, and which answer is therefore right."""

from scenarios.applications import applications
from scenarios.buffers import buffers
from scenarios.paths import paths


def all_scenarios():
    """Every scenario of the corpus."""
    return buffers() + applications() + paths()

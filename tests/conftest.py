import os

from hypothesis import HealthCheck, settings

quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
settings.register_profile("default", max_examples=60, deadline=None, suppress_health_check=quiet)
settings.register_profile("torture", max_examples=2_000, deadline=None, suppress_health_check=quiet)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

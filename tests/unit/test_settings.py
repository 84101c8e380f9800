"""The settings of single entry points."""

import pytest

from m4a.settings import Settings, SettingsError


def test_agents_are_listed_with_commas() -> None:
    assert Settings.from_env({"M4A_AGENT_IDS": "AGENT00001, AGENT00002,"}).agent_ids == ("AGENT00001", "AGENT00002")
    assert Settings.from_env({}).agent_ids == ()


def test_the_gateways_secret_is_not_shown() -> None:
    secret = "a secret of thirty-two characters"
    settings = Settings.from_env({"M4A_GATEWAY_SECRET": secret})
    assert settings.gateway_key == secret.encode()
    assert secret not in repr(settings) and secret not in str(settings.model_dump())


def test_a_secret_that_can_be_guessed_is_refused_without_being_shown() -> None:
    with pytest.raises(SettingsError, match="M4A_GATEWAY_SECRET") as refused:
        Settings.from_env({"M4A_GATEWAY_SECRET": "short"})
    assert "short:" not in str(refused.value) and "'short'" not in str(refused.value)


def test_a_function_that_needs_the_secret_says_so() -> None:
    with pytest.raises(SettingsError, match="M4A_GATEWAY_SECRET"):
        _ = Settings.from_env({}).gateway_key


def test_a_variable_that_is_no_setting_is_named() -> None:
    with pytest.raises(SettingsError, match=r"^M4A_FOO: is not a setting of M4A$"):
        Settings.from_env({"M4A_FOO": "1"})

import json
from pathlib import Path

import pytest

from benchmarks import cost_page
from benchmarks.pricing import Prices, domain, per_million, serverless, stored_month

COUNTED = json.loads(cost_page.COUNTED.read_text("utf-8"))
PRICES = Prices(json.loads(cost_page.PRICES.read_text("utf-8")))


def test_the_page_on_costs_is_what_was_counted_at_the_noted_prices() -> None:
    assert cost_page.main(["--check"]) == 0


def test_a_price_that_changed_is_found_and_the_page_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dearer = json.loads(cost_page.PRICES.read_text("utf-8"))
    dearer["prices"]["write_units"]["usd"] *= 2
    (tmp_path / "prices.json").write_text(json.dumps(dearer))
    monkeypatch.setattr(cost_page, "PRICES", tmp_path / "prices.json")
    assert cost_page.main(["--check"]) == 1
    assert "make cost" in capsys.readouterr().err
    monkeypatch.setattr(cost_page, "TARGET", tmp_path / "cost.md")
    assert cost_page.main([]) == 0
    assert cost_page.main(["--check"]) == 0


def test_every_price_says_for_what_from_when_and_from_where_it_is() -> None:
    for name, price in PRICES.document["prices"].items():
        assert set(price) == {"usd", "per", "as_of", "source"}, name
        assert all(price.values()), name


def test_a_million_calls_cost_their_units_times_their_prices() -> None:
    used = {"read_units": 10.0, "write_units": 4.0, "tokens": 15.0}
    recall, remember = (per_million(tool, used, PRICES) for tool in ("recall", "remember"))
    assert recall["DynamoDB reads"] == pytest.approx(1.25)
    assert recall["DynamoDB writes"] == pytest.approx(2.5)
    assert recall["Embeddings"] == pytest.approx(0.3)
    assert recall["Lambda time"] == pytest.approx(0.3 * 1.7275 * 13.3334)
    assert recall["Logs"] == pytest.approx(2_000 / 1_000 * 0.5)
    assert (recall["Lambda requests"], remember["Lambda requests"]) == pytest.approx((0.2, 0.4))
    assert remember["Lambda time"] == pytest.approx(1.35 * 1.7275 * 13.3334)


def test_stored_items_are_paid_with_what_dynamodb_adds_to_each() -> None:
    assert stored_month({"memory": 900.0}, PRICES) == pytest.approx(1.0 * (0.25 + 0.20))


def test_a_domain_is_as_large_as_its_vectors_need() -> None:
    assert domain(10_000, 1, PRICES).instance == "t3.small.search"
    assert domain(10_000, 3, PRICES).instance == "r7g.medium.search"
    small, large = domain(1_000_000, 3, PRICES), domain(10_000_000, 3, PRICES)
    assert small.usd < large.usd
    with pytest.raises(ValueError, match="1,000,000,000"):
        domain(1_000_000_000, 3, PRICES)


def test_serverless_is_paid_for_every_hour() -> None:
    ocus, usd = serverless(10_000, PRICES)
    assert ocus == 3
    assert usd == pytest.approx(3 * 730 * 0.24 + 0.06 * 0.024)

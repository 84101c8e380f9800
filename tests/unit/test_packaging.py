"""What a function's package leaves out, and that what it is made from follows the lock."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from scripts import deploy, package, requirements
from scripts.function_code import FUNCTIONS, requirements_for
from scripts.pruning import prune

MODEL = {
    "documentation": "<p>What the service is for.</p>",
    "operations": {"GetItem": {"name": "GetItem", "documentation": "<p>Reads.</p>"}},
    "shapes": {"Item": {"members": {"documentation": {"shape": "Text", "documentation": "A field of this name."}}}},
}
ENDPOINTS: dict[str, Any] = {
    "partitions": [{"partition": "aws", "services": {"dynamodb": {"endpoints": {}}, "s3": {"endpoints": {}}}}]
}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with a little of what wheels bring."""
    for name in ("dynamodb/2011-12-05", "dynamodb/2012-08-10", "s3/2006-03-01"):
        service = tmp_path / "botocore" / "data" / name
        service.mkdir(parents=True)
        (service / "service-2.json.gz").write_bytes(gzip.compress(json.dumps(MODEL).encode()))
        (service / "examples-1.json").write_text("{}")
    (tmp_path / "botocore" / "data" / "endpoints.json").write_text(json.dumps(ENDPOINTS))
    for name in ("bin", "pydantic/tests", "pydantic-2.14.4.dist-info", "httpx2-2.16.2.dist-info"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").touch()
    return tmp_path


def test_the_data_of_services_that_are_not_called_is_left_out(installed: Path) -> None:
    prune(installed)
    data = installed / "botocore" / "data"
    kept = {path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file()}
    assert kept == {"endpoints.json", "dynamodb/2012-08-10/service-2.json"}
    (partition,) = json.loads((data / "endpoints.json").read_text())["partitions"]
    assert list(partition["services"]) == ["dynamodb"]


def test_a_model_loses_its_documentation_and_no_field_that_has_that_name(installed: Path) -> None:
    prune(installed)
    model = json.loads((installed / "botocore/data/dynamodb/2012-08-10/service-2.json").read_text())
    assert model == {
        "operations": {"GetItem": {"name": "GetItem"}},
        "shapes": {"Item": {"members": {"documentation": {"shape": "Text"}}}},
    }


def test_metadata_stays_where_a_package_looks_it_up(installed: Path) -> None:
    prune(installed)
    assert {path.name for path in installed.iterdir()} == {"botocore", "pydantic", "httpx2-2.16.2.dist-info"}
    assert not (installed / "pydantic" / "tests").exists()


def test_the_functions_requirements_follow_the_lock() -> None:
    assert requirements.main(check=True) == 0


def packaged_with(folder: str) -> set[str]:
    """The packages of the function in that folder."""
    return set(_names(requirements_for(folder).read_text()))


def test_each_file_of_requirements_is_of_a_function_that_exists() -> None:
    found = {requirements_for(path.parent.name).name for path in FUNCTIONS.glob("*/handler.py")}
    assert found == set(requirements.FILES) == {path.name for path in FUNCTIONS.glob("requirements*.txt")}


def test_a_function_is_packaged_with_what_it_needs() -> None:
    plain = packaged_with("recall")
    assert {"botocore", "opensearch-py", "pydantic", "pystemmer"} <= plain
    assert packaged_with("action_group") - plain == {"aws-lambda-powertools"}
    assert plain - packaged_with("action_group") == set()
    with_mcp = packaged_with("mcp_server")
    assert plain < with_mcp and {"mcp", "cryptography"} <= with_mcp
    assert not {"aws-lambda-powertools", "jsonschema", "grpcio", "protobuf", "opensearch-protobufs"} & with_mcp


def test_the_interceptor_is_packaged_with_pydantic_alone() -> None:
    only = {"pydantic", "pydantic-core", "annotated-types", "typing-extensions", "typing-inspection"}
    assert packaged_with("gateway_interceptor") == only


def test_what_calls_no_service_has_no_data_of_services(tmp_path: Path) -> None:
    (tmp_path / "pydantic" / "tests").mkdir(parents=True)
    prune(tmp_path)
    assert list(tmp_path.rglob("*")) == [tmp_path / "pydantic"]


def test_the_built_template_is_of_the_architecture_that_its_code_is_for(tmp_path: Path) -> None:
    built = tmp_path / "template.yaml"
    built.write_text((FUNCTIONS.parent / "template.yaml").read_text())
    package.keep_architecture(built, "x86_64")
    change = set(built.read_text().splitlines()) - set((FUNCTIONS.parent / "template.yaml").read_text().splitlines())
    assert change == {"    Default: x86_64"}


def built_before(_target: Path, _architecture: str) -> None:
    """In place of SAM."""


@pytest.mark.parametrize(("most", "deployable"), [(0, False), (20, True)])
def test_what_is_too_large_is_not_left_for_make_deploy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, deployable: bool
) -> None:
    (tmp_path / "Recall" / "m4a").mkdir(parents=True)
    (tmp_path / "Recall" / "m4a" / "module.py").write_bytes(b"x")
    (tmp_path / "template.yaml").write_text("Resources: {}\n")
    monkeypatch.setattr(package, "MOST_ZIPPED_MB", most)
    monkeypatch.setattr(package, "sam_build", built_before)
    package.main(["--into", str(tmp_path)])
    deploying = ["dev", "--built", str(tmp_path), "--print"]
    if deployable:
        assert deploy.main(deploying) == 0
    else:
        with pytest.raises(SystemExit):
            deploy.main(deploying)


@pytest.mark.parametrize("name", ["Recall", "McpServer"])
def test_a_package_that_is_too_large_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / name / "m4a").mkdir(parents=True)
    (tmp_path / name / "m4a" / "module.py").write_bytes(b"x")
    monkeypatch.setattr(package, "MOST_ZIPPED_MB", 0)
    monkeypatch.setattr(package, "sam_build", built_before)
    assert package.main(["--architecture", "x86_64", "--into", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert name in said.err and "Built for x86_64" in said.out


def _names(text: str) -> list[str]:
    return [line.partition("==")[0] for line in text.splitlines() if line[0].isalnum()]


def test_a_package_is_measured_as_it_is_and_zipped(tmp_path: Path) -> None:
    function = tmp_path / "Recall"
    (function / "m4a").mkdir(parents=True)
    (function / "m4a" / "module.py").write_bytes(b"x" * 1_000_000)
    (tmp_path / "not-a-function").mkdir()
    ((name, plain, zipped),) = package.sizes(tmp_path)
    assert (name, plain) == ("Recall", 1.0)
    assert 0 < zipped < 0.1

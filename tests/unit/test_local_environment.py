import json
from pathlib import Path

from m4a.local.stack import HOST_OF_CONTAINERS, stack_settings, write_environment
from m4a.settings import Settings

ADDRESSES = ("http://127.0.0.1:8001", "http://127.0.0.1:8002", "http://127.0.0.1:8003")


def test_the_file_for_containers_holds_settings_alone_with_addresses_that_a_container_reaches(tmp_path: Path) -> None:
    settings = stack_settings(*ADDRESSES, base=Settings(tenant_claim="org"))
    path = tmp_path / "new" / "env.json"

    write_environment(settings, path, HOST_OF_CONTAINERS)

    (given,) = json.loads(path.read_text("utf-8")).values()
    read = Settings.from_env(given)  # which refuses a variable that it does not know
    assert all(name.startswith("M4A_") for name in given)
    addresses = (read.dynamodb_url, read.search_url, read.bedrock_url)
    assert addresses == tuple(one.replace("127.0.0.1", "host.docker.internal") for one in ADDRESSES)
    urls = {"dynamodb_url": None, "search_url": None, "bedrock_url": None}
    assert read.model_copy(update=urls) == settings.model_copy(update=urls)

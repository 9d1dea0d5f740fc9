"""The files for containers, Kubernetes and observation agree with the code that they run and measure."""

import dataclasses
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import prometheus_client
import pytest
import yaml

import services.metrics  # noqa: F401  declares what is measured
from deploy.generate import PACKAGE, generate
from services.config import Settings
from services.handle import Spent
from services.local.system import SERVICES

ROOT = Path(__file__).resolve().parents[2]
TOOL_SECONDS_MAX = 60
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
OURS = {name: part for name, part in COMPOSE["services"].items() if "build" in part}
MANIFESTS = [
    document
    for path in sorted((ROOT / "k8s").glob("*.yaml"))
    if path.name != "kustomization.yaml"
    for document in yaml.safe_load_all(path.read_text())
]
WORKLOADS = {
    item["metadata"]["name"]: item["spec"]["template"]["spec"]
    for item in MANIFESTS
    if item["kind"] in {"Deployment", "Job"}
}
FIELDS = {field.name.upper() for field in dataclasses.fields(Settings)}
DASHBOARDS = sorted((ROOT / "deploy/observe/grafana/dashboards").glob("*.json"))


def test_the_compose_file_keeps_to_its_schema() -> None:
    run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", "docker-compose.yml")


def test_the_dockerfile_has_no_fault_that_hadolint_knows() -> None:
    run("hadolint", "deploy/Dockerfile")


def test_every_manifest_keeps_to_its_schema() -> None:
    paths = [str(path) for path in (ROOT / "k8s").glob("*.yaml") if path.name != "kustomization.yaml"]
    run("kubernetes-validate", "--strict", *paths)


def test_the_kustomization_names_every_manifest() -> None:
    named = yaml.safe_load((ROOT / "k8s/kustomization.yaml").read_text())["resources"]
    assert sorted(path.name for path in (ROOT / "k8s").glob("*.yaml")) == sorted(
        [*named, "kustomization.yaml"]
    )


def test_every_process_runs_in_compose_kubernetes_and_the_embedded_default() -> None:
    expected = {service.name for service in SERVICES}
    assert (expected | {"migrate"}, expected | {"migrate"}) == (set(OURS), set(WORKLOADS))


def test_every_command_starts_a_module_that_exists() -> None:
    commands = [part["command"] for part in OURS.values()]
    commands += [container(name)["command"] for name in WORKLOADS]
    commands += [["python", *service.words] for service in SERVICES]
    commands += [part["healthcheck"]["test"][1:] for part in OURS.values() if "healthcheck" in part]
    started = {module for command in commands for module in _modules(command)}
    assert len(started) >= len(SERVICES) + 3
    assert [] == [module for module in started if importlib.util.find_spec(module) is None]


def test_every_worker_listens_to_the_same_queue_everywhere() -> None:
    for service in SERVICES:
        if "-Q" in service.words:
            for command in (OURS[service.name]["command"], container(service.name)["command"]):
                assert _after(service.words, "-Q") == _after(command, "-Q")
                assert _after(service.words, "-A") == _after(command, "-A")


def test_every_variable_is_a_field_of_the_settings() -> None:
    given = {name: set(part["environment"]) for name, part in OURS.items()}
    given |= {f"k8s {name}": variables(name) for name in WORKLOADS}
    assert {} == {name: unknown for name, names in given.items() if (unknown := names - FIELDS)}


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_every_process_is_told_the_same_everywhere(service: Any) -> None:
    told = {name.upper() for name in service.told} | {"REDIS_URL", "TABLE_ADDRESS", "TOURNAMENT_ADDRESS"}
    told |= {"METRICS_PORT", "METRICS_HOST"}
    assert (told, told) == (set(OURS[service.name]["environment"]), variables(service.name))


def test_no_manifest_holds_a_secret() -> None:
    secret = {field.name.upper() for field in dataclasses.fields(Settings) if not field.repr}
    values = {
        f"{name} {item['name']}"
        for name in WORKLOADS
        for item in container(name)["env"]
        if item["name"] in secret and "value" in item
    }
    written = [item for item in MANIFESTS if item["kind"] == "Secret"]
    assert (set(), []) == (values, written)


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_pod_is_locked_down_and_bounded(name: str) -> None:
    rights = container(name)["securityContext"]
    assert (True, True, False, ["ALL"]) == (
        WORKLOADS[name]["securityContext"]["runAsNonRoot"],
        rights["readOnlyRootFilesystem"],
        rights["allowPrivilegeEscalation"],
        rights["capabilities"]["drop"],
    )
    assert {"cpu", "memory"} == set(container(name)["resources"]["limits"])


@pytest.mark.parametrize("name", [service.name for service in SERVICES if service.serves])
def test_a_grpc_service_is_probed_where_it_listens(name: str) -> None:
    port = int(_listen(name).rpartition(":")[2])
    pod = container(name)
    assert (port, port) == (pod["startupProbe"]["grpc"]["port"], pod["readinessProbe"]["grpc"]["port"])
    assert {"name": "grpc", "containerPort": port} in pod["ports"]
    assert f"127.0.0.1:{port}" == OURS[name]["healthcheck"]["test"][-1]


def test_the_ports_are_those_that_the_settings_have_by_default() -> None:
    settings = Settings()
    for name in ("table", "tournament"):
        port = getattr(settings, f"{name}_address").rpartition(":")[2]
        assert f"0.0.0.0:{port}" == _listen(name)
        assert f"{name}:{port}" == OURS[name]["environment"][f"{name.upper()}_ADDRESS"]


def test_prometheus_scrapes_every_process_where_it_shows_its_metrics() -> None:
    jobs = yaml.safe_load((ROOT / "deploy/observe/prometheus.yml").read_text())["scrape_configs"]
    port = OURS["table"]["environment"]["METRICS_PORT"]
    assert {f"{service.name}:{port}" for service in SERVICES} == set(jobs[0]["static_configs"][0]["targets"])


@pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.name)
def test_every_panel_shows_a_metric_that_exists(path: Path) -> None:
    panels = json.loads(path.read_text())["panels"]
    queries = {panel["title"]: [target["expr"] for target in panel["targets"]] for panel in panels}
    assert len(queries) == len(panels) > 0
    assert {} == {title: bad for title, texts in queries.items() if (bad := unknown_metrics(*texts))}


def test_every_alert_watches_a_metric_that_exists() -> None:
    groups = yaml.safe_load((ROOT / "deploy/observe/alerts.yml").read_text())["groups"]
    rules = {rule["alert"]: rule["expr"] for group in groups for rule in group["rules"]}
    assert len(rules) > 3
    assert {} == {name: bad for name, text in rules.items() if (bad := unknown_metrics(text))}


def test_every_phase_that_an_alert_names_is_measured() -> None:
    named = set(re.findall(r'phase="([a-z]+)"', (ROOT / "deploy/observe/alerts.yml").read_text()))
    assert {"append"} == named & {*Spent._fields, "total"} == named


def test_the_check_of_metrics_finds_a_name_that_nothing_exports() -> None:
    assert {"acts_seconds_bucket"} == unknown_metrics("rate(acts_seconds_bucket[5m]) / rate(acts_total[5m])")


def test_the_generated_protobuf_code_is_that_of_the_proto_files(tmp_path: Path) -> None:
    fresh = {path.name: path.read_text() for path in generate(tmp_path)}
    committed = {path.name: path.read_text() for path in (ROOT / "engine" / PACKAGE).glob("*_pb2*")}
    assert sorted(fresh) == sorted(committed)
    assert [] == [name for name in fresh if fresh[name] != committed[name]]


def test_no_lock_file_holds_an_address() -> None:
    texts = [(ROOT / path).read_text() for path in ("requirements.lock", "deploy/requirements.lock")]
    assert [] == [line for text in texts for line in text.splitlines() if "://" in line]


def test_the_image_gets_the_same_versions_that_are_tested() -> None:
    tested, deployed = (_pins(ROOT / path) for path in ("requirements.lock", "deploy/requirements.lock"))
    assert deployed.items() <= tested.items()
    assert "grpcio" in deployed


def run(tool: str, *words: str) -> None:
    """Run a checking tool of the virtual environment; its output is the failure's text."""
    path = shutil.which(tool, path=str(Path(sys.executable).parent)) or tool
    done = subprocess.run(
        [path, *words], cwd=ROOT, capture_output=True, text=True, timeout=TOOL_SECONDS_MAX, check=False
    )
    assert 0 == done.returncode, done.stdout + done.stderr


def container(name: str) -> dict[str, Any]:
    (only,) = WORKLOADS[name]["containers"]
    return dict(only)


def variables(name: str) -> set[str]:
    """The variables of a pod, its own and those of the configuration that it takes."""
    names = {item["name"] for item in container(name)["env"]}
    for source in container(name).get("envFrom", []):
        (config,) = [
            item
            for item in MANIFESTS
            if item["kind"] == "ConfigMap" and item["metadata"]["name"] == source["configMapRef"]["name"]
        ]
        names |= set(config["data"])
    return names


def unknown_metrics(*queries: str) -> set[str]:
    """The names in the queries that are neither a series that we export nor a word of the query language."""
    exported = {"up"}
    for family in prometheus_client.REGISTRY.collect():
        suffixes = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("_total",)}.get(
            family.type, ("",)
        )
        exported |= {family.name + suffix for suffix in suffixes}
    names: set[str] = set()
    for query in queries:
        plain = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\bby\s*\([^)]*\)", " ", query)
        names |= {name for name in re.findall(r"[a-z][a-z0-9_]*(?!\w|\s*\()", plain) if name != "by"}
    return names - exported


def _modules(command: list[str]) -> list[str]:
    words = [word for part in command for word in part.split()]
    return [after for before, after in pairwise(words) if before in {"-m", "-A"}]


def _after(words: Any, flag: str) -> str:
    return str(words[list(words).index(flag) + 1])


def _listen(name: str) -> str:
    return str(OURS[name]["environment"][f"{name.upper()}_LISTEN"])


def _pins(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", path.read_text(), re.M))

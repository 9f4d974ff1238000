"""The Kubernetes manifests: valid by the schemas of Kubernetes, and what they promise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from graph_memory.mcp_server.transport.authentication import OPEN_PATHS
from graph_memory.mcp_server.transport.http import PORT

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text("utf-8"))
APPLIED: list[str] = KUSTOMIZATION["resources"]
EXAMPLE = "secret.example.yaml"
NAME = {"app.kubernetes.io/name": "graph-memory"}


def manifest(name: str) -> dict[str, Any]:
    """Return the manifest in a file."""
    return yaml.safe_load((FOLDER / name).read_text("utf-8"))


def pod() -> dict[str, Any]:
    """Return the template of the replicas."""
    return manifest("deployment.yaml")["spec"]["template"]["spec"]


def test_every_file_is_applied_but_the_example_of_a_secret() -> None:
    others = {"kustomization.yaml", EXAMPLE}
    assert sorted(APPLIED) == sorted({path.name for path in FOLDER.iterdir()} - others)


@pytest.mark.parametrize("name", [*APPLIED, EXAMPLE])
def test_a_manifest_is_valid(name: str) -> None:
    kubernetes_validate.validate(manifest(name), "1.33", strict=True)


def test_a_field_that_kubernetes_does_not_have_is_found() -> None:
    wrong = manifest("service.yaml")
    wrong["spec"]["sessionAfinity"] = "ClientIP"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, "1.33", strict=True)


def test_no_secret_is_written_down() -> None:
    assert set(manifest(EXAMPLE)["stringData"].values()) == {""}


def test_everything_selects_the_replicas() -> None:
    deployment = manifest("deployment.yaml")["spec"]
    assert deployment["replicas"] == 2
    assert deployment["template"]["metadata"]["labels"] == deployment["selector"]["matchLabels"] == NAME
    assert manifest("service.yaml")["spec"]["selector"] == NAME
    assert manifest("disruption.yaml")["spec"]["selector"]["matchLabels"] == NAME


def test_a_replica_has_no_rights_that_it_does_not_need() -> None:
    [container] = pod()["containers"]
    assert pod()["securityContext"]["runAsNonRoot"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"]["requests"].keys() == {"cpu", "memory"}
    assert pod()["automountServiceAccountToken"] is False


def test_a_replica_is_asked_where_it_listens() -> None:
    [container] = pod()["containers"]
    arguments = container["args"]
    assert arguments[arguments.index("--port") + 1] == str(PORT)
    assert [port["containerPort"] for port in container["ports"]] == [PORT]
    probes = {name: container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert {get["port"] for get in probes.values()} == {"http"}
    assert {get["path"] for get in probes.values()} == {"/health/live", "/health/ready"} <= set(OPEN_PATHS)
    assert probes["readinessProbe"]["path"] == "/health/ready"


def test_all_replicas_store_blobs_on_one_volume() -> None:
    [container] = pod()["containers"]
    place = manifest("configmap.yaml")["data"]["GRAPH_MEMORY_BLOB_URL"]
    [volume] = [mount["name"] for mount in container["volumeMounts"] if mount["mountPath"] == place]
    claims = {volume["name"]: volume.get("persistentVolumeClaim") for volume in pod()["volumes"]}
    claim = manifest("blobs.yaml")
    assert claims[volume] == {"claimName": claim["metadata"]["name"]}
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]

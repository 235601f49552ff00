"""What a bucket's own administration is told: which objects to remove by age, and what a tenant may do.

The sweep of ours is what ends sessions. A lifecycle rule knows only when an object was made, so it is the net below: it
has to wait for longer than the longest session lives, with its grace, and a day.
"""

from __future__ import annotations

import json

from overspill._lite import TYPE_CHECKING
from overspill.fleet import VERSION

if TYPE_CHECKING:
    from typing import Any

CLOUDS = ("s3", "gs", "az")
DAY = 86400.0


def net_days(longest: float, grace: float) -> int:
    """After how many days nobody can ask for an object any more, though a session may live so long.

    >>> net_days(30 * 86400, 86400), net_days(3600, 60)
    (32, 2)
    """
    return int(-(-(longest + grace) // DAY)) + 1


def lifecycle_rule(cloud: str, prefix: str, days: int) -> dict[str, Any]:
    """The rule that removes what our sweep has left, in the words of a cloud."""
    below = "/".join(part for part in (prefix, VERSION) if part) + "/"
    if cloud == "s3":
        return {
            "Rules": [
                {
                    "ID": "overspill-net",
                    "Status": "Enabled",
                    "Filter": {"Prefix": below},
                    "Expiration": {"Days": days},
                    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
                }
            ]
        }
    if cloud == "gs":
        return {
            "lifecycle": {
                "rule": [
                    {"action": {"type": "Delete"}, "condition": {"age": days, "matchesPrefix": [below]}},
                    {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 1}},
                ]
            }
        }
    return {
        "rules": [
            {
                "enabled": True,
                "name": "overspill-net",
                "type": "Lifecycle",
                "definition": {
                    "filters": {"blobTypes": ["blockBlob"], "prefixMatch": [f"CONTAINER/{below}"]},
                    "actions": {"baseBlob": {"delete": {"daysAfterCreationGreaterThan": days}}},
                },
            }
        ]
    }


def tenant_policy(cloud: str, bucket: str, prefix: str, tenant: str) -> dict[str, Any]:
    """What a tenant's machines may do, so that the bucket keeps tenants apart where our code does not."""
    below = "/".join(part for part in (prefix, VERSION, tenant) if part)
    if cloud == "s3":
        return {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Sid": "OverspillObjects",
                    "Effect": "Allow",
                    "Action": ["s3:PutObject", "s3:GetObject", "s3:DeleteObject"],
                    "Resource": f"arn:aws:s3:::{bucket}/{below}/*",
                },
                {
                    "Sid": "OverspillLists",
                    "Effect": "Allow",
                    "Action": "s3:ListBucket",
                    "Resource": f"arn:aws:s3:::{bucket}",
                    "Condition": {"StringLike": {"s3:prefix": f"{below}/*"}},
                },
            ],
        }
    if cloud == "gs":
        name = f"projects/_/buckets/{bucket}/objects/{below}/"
        return {
            "role": "roles/storage.objectUser",
            "condition": {
                "title": f"overspill {tenant}",
                "expression": f'resource.name.startsWith("{name}") || '
                f'api.getAttribute("storage.googleapis.com/objectListPrefix", "").startsWith("{below}/")',
            },
        }
    path = "@Resource[Microsoft.Storage/storageAccounts/blobServices/containers/blobs:path]"
    return {
        "role": "Storage Blob Data Contributor",
        "scope": f"blobServices/default/containers/{bucket}",
        "conditionVersion": "2.0",
        "condition": f"{path} StringLike '{below}/*'",
    }


def rules_text(cloud: str, bucket: str, prefix: str, tenant: str, days: int) -> str:
    """The rule and the policy, each with how it is given to the cloud."""
    rule, policy = lifecycle_rule(cloud, prefix, days), tenant_policy(cloud, bucket, prefix, tenant)
    return "\n".join(
        [
            f"# Lifecycle rule: the net below our sweep, {days} days after an object was made. It must be more than",
            "# your longest session and its grace: a rule knows nothing of sessions.",
            f"# {_RULE_COMMANDS[cloud].format(bucket)}",
            json.dumps(rule, indent=2),
            f"# What the machines of tenant {tenant} may do.",
            f"# {_POLICY_COMMANDS[cloud].format(bucket)}",
            json.dumps(policy, indent=2),
            "",
        ]
    )


_RULE_COMMANDS = {
    "s3": "aws s3api put-bucket-lifecycle-configuration --bucket {} --lifecycle-configuration file://rule.json",
    "gs": "gcloud storage buckets update gs://{} --lifecycle-file=rule.json",
    "az": "az storage account management-policy create --policy @rule.json (CONTAINER is {})",
}
_POLICY_COMMANDS = {
    "s3": "aws iam put-role-policy --role-name ROLE --policy-name overspill --policy-document file://policy.json ({})",
    "gs": "gcloud storage buckets add-iam-policy-binding gs://{} --member=MEMBER --role=... --condition-from-file=...",
    "az": "az role assignment create --assignee MEMBER --role ... --scope .../{} --condition ...",
}

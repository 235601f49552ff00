"""Artifacts of many machines in one bucket: kept here first, then there, and readable from every machine of a tenant.

    v1/<tenant>/swept                                   when somebody last swept, by the bucket's clock
    v1/<tenant>/<session>/session                       that it is in use, or over, and how long it is to be kept
    v1/<tenant>/<session>/kept/<id>                     that an artifact is pinned
    v1/<tenant>/<session>/parts/<id>.<digest>/00007     8 MiB of a long content, there before its artifact is
    v1/<tenant>/<session>/<id>                          an artifact: its record, its index, and its content if that is
                                                        no longer than a part

An artifact is one object that is created and never changed, so it is there or not, and never half. `objects` says how
an artifact lies in the bucket, `store` is the store of files that hands on what it keeps, `far` sees what lies there
and removes sessions that are over. The workspace and all that comes after it may import this package; nothing of it
is loaded where no bucket is named.

A bucket is named objects that are created, read by ranges, listed and removed, and nothing that is overwritten. The
requests are obstore's (S3, Google Cloud Storage, Azure Blob Storage, a directory). Credentials come from the
environment or the platform. Every call ends within a bounded time, and what goes wrong is one `BucketError`.

A bucket's own administration is told which objects to remove by age, and what a tenant may do. The sweep of ours is
what ends sessions. A lifecycle rule knows only when an object was made, so it is the net below: it has to wait for
longer than the longest session lives, with its grace, and a day.
"""

from __future__ import annotations

import json
import os
import socket
import time
from datetime import timedelta

from overspill._lite import TYPE_CHECKING, NamedTuple, contextmanager
from overspill.errors import BucketError, ConfigError, MissingExtra, words_within
from overspill.store.sessions import Session, named_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


VERSION = "v1"
SCHEMES = ("s3", "gs", "az", "file")
MARKER, KEPT, PARTS, SWEPT = "session", "kept", "parts", "swept"

HTTP_VARIABLES = ("AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP", "GOOGLE_ALLOW_HTTP")
RETRIES = 3
CONNECT_SECONDS = 5.0
PAUSES = (0.1, 0.4, 1.6)  # seconds between tries of what the library does not try again
REASON_CHARS = 90
CLOUDS = ("s3", "gs", "az")
DAY = 86400.0


class SessionKeys(NamedTuple):
    """The names that one session of a tenant has in a bucket."""

    tenant: str
    session: str

    @property
    def of_tenant(self) -> str:
        """What all of a tenant's names begin with."""
        return f"{VERSION}/{self.tenant}"

    @property
    def of_session(self) -> str:
        """What all of the session's names begin with."""
        return f"{VERSION}/{self.tenant}/{self.session}"

    @property
    def marker(self) -> str:
        """What says that the session is in use, or over."""
        return f"{self.of_session}/{MARKER}"

    @property
    def swept(self) -> str:
        """What is written by whoever sweeps the tenant."""
        return f"{self.of_tenant}/{SWEPT}"

    def artifact(self, artifact_id: str) -> str:
        """An artifact."""
        return f"{self.of_session}/{artifact_id}"

    def pin(self, artifact_id: str) -> str:
        """That an artifact is pinned."""
        return f"{self.of_session}/{KEPT}/{artifact_id}"

    def parts(self, artifact_id: str, digest: str) -> str:
        """Where the parts of a content lie. What is another content has other parts, whatever it is called."""
        return f"{self.of_session}/{PARTS}/{artifact_id}.{digest[:16]}"

    def part(self, artifact_id: str, digest: str, number: int) -> str:
        """One of them."""
        return f"{self.parts(artifact_id, digest)}/{number:05}"


def bucket_session(session: Session, root: str) -> str:
    """The id of a session in a bucket. The root's own is that of one machine's root: others have roots of that name."""
    if session.name or not session.roams:
        return session.id
    return named_session(f"root\0{socket.gethostname()}\0{os.path.realpath(root)}").id


class Entry(NamedTuple):
    """An object in a list."""

    key: str
    size: int
    modified: float  # by the bucket's clock

    @property
    def name(self) -> str:
        """The last part of its key."""
        return self.key.rpartition("/")[2]


class Fetched(NamedTuple):
    """Some bytes of an object, and how many it has in all."""

    content: bytes
    size: int


class Bucket:
    """One bucket, or a prefix in one. Safe to share between threads; a forked child has a connection of its own."""

    def __init__(self, address: str, patience: float) -> None:
        self.address = checked_address(address)
        self.patience = patience
        self._process = -1
        self._opened: Any = None

    def create(self, key: str, content: bytes) -> bool:
        """Make an object, all of it at once; False where one of that name is there already.

        The library does not repeat what might have come through; we may, because then it is there, and that is said.
        """
        until = time.monotonic() + self.patience
        for pause in (*PAUSES, None):
            try:
                return self._create(key, content)
            except BucketError as error:
                if pause is None or not error.reason.endswith(PASSING) or time.monotonic() + pause > until:
                    raise
                time.sleep(pause)
        raise AssertionError  # the last try returns or raises

    def _create(self, key: str, content: bytes) -> bool:
        with self._asking("writing") as (obstore, store):
            try:
                obstore.put(store, key, content, mode="create")
            except obstore.exceptions.AlreadyExistsError:
                return False
            except obstore.exceptions.PreconditionError:
                return False
        return True

    def replace(self, key: str, content: bytes) -> None:
        """Make an object, in the place of one that may be there: for marks that say only that they are there."""
        with self._asking("writing") as (obstore, store):
            obstore.put(store, key, content, mode="overwrite", use_multipart=False)

    def fetch(self, key: str, start: int, length: int) -> Fetched | None:
        """So many bytes of an object, or fewer where it ends; None where there is none of that name."""
        with self._asking("reading") as (obstore, store):
            try:
                found = obstore.get(store, key, options={"range": (start, start + length)})
                return Fetched(bytes(found.bytes()), int(found.meta["size"]))
            except FileNotFoundError as error:
                _check_bucket(error)
                return None

    def entry(self, key: str) -> Entry | None:
        """What is known of an object; None where there is none of that name."""
        with self._asking("reading") as (obstore, store):
            try:
                return _entry(obstore.head(store, key))
            except FileNotFoundError as error:
                _check_bucket(error)
                return None

    def entries(self, prefix: str) -> Iterator[Entry]:
        """All objects below a prefix, in pages, as they come."""
        with self._asking("listing") as (obstore, store):
            pages = iter(obstore.list(store, prefix, chunk_size=1000))
        while True:
            with self._asking("listing"):
                page = next(pages, None)
            if page is None:
                return
            yield from map(_entry, page)

    def directory(self, prefix: str) -> tuple[list[Entry], list[str]]:
        """The objects that lie directly below a prefix, and the names of the prefixes below it."""
        with self._asking("listing") as (obstore, store):
            found = obstore.list_with_delimiter(store, prefix)
            folders = [str(name).rstrip("/").rpartition("/")[2] for name in found["common_prefixes"]]
            return list(map(_entry, found["objects"])), folders

    def remove(self, keys: list[str]) -> None:
        """Remove objects; one that is not there is no error."""
        if not keys:
            return
        with self._asking("removing") as (obstore, store):
            try:
                obstore.delete(store, keys)
            except FileNotFoundError as error:
                _check_bucket(error)
                for key in keys:  # a directory stops at the first that is gone
                    _remove_one(obstore, store, key)

    @contextmanager
    def _asking(self, doing: str) -> Iterator[tuple[Any, Any]]:
        """The library and the connection, whose every failure is a `BucketError`."""
        obstore = load_library()
        try:
            yield obstore, self._connection()
        except (obstore.exceptions.BaseError, OSError, ValueError) as error:
            raise BucketError(self.address, f"{doing}: {bucket_reason(error, self.patience)}") from None

    def _connection(self) -> Any:  # noqa: ANN401  # whatever obstore opens for the address
        # A library of threads does not survive a fork, and hooks fork: each process opens its own.
        if self._process != os.getpid():
            from obstore.store import from_url

            self._opened = from_url(self.address, **self._client_options())
            self._process = os.getpid()
        return self._opened

    def _client_options(self) -> dict[str, object]:
        if self.address.startswith("file:"):
            return {"mkdir": True, "automatic_cleanup": False}
        return {
            "client_options": {
                "timeout": timedelta(seconds=self.patience),
                "connect_timeout": timedelta(seconds=min(CONNECT_SECONDS, self.patience)),
                "user_agent": "overspill",
                # What is said here stands for all that the environment says, and servers of one's own may lack TLS.
                "allow_http": any(os.environ.get(name, "").lower() in {"1", "true"} for name in HTTP_VARIABLES),
            },
            "retry_config": {
                "max_retries": RETRIES,
                "retry_timeout": timedelta(seconds=self.patience),
                "backoff": {
                    "init_backoff": timedelta(milliseconds=50),
                    "max_backoff": timedelta(seconds=2),
                    "base": 2,
                },
            },
        }


def checked_address(address: str) -> str:
    """The address of a bucket, if it can be one; credentials have no place in it.

    >>> checked_address("s3://bucket/prefix/")
    's3://bucket/prefix'
    """
    scheme, mark, rest = address.partition("://")
    if not mark or scheme not in SCHEMES or not rest.strip("/") or not rest.isprintable():
        known = ", ".join(f"{name}://" for name in SCHEMES)
        raise ConfigError(f"artifacts.store: {address[:100]!r} names no bucket; it begins with one of {known}")
    if "@" in rest or "?" in rest or "#" in rest:
        raise ConfigError("artifacts.store: credentials and options come from the environment, not from the address")
    return address.rstrip("/")


def bucket_reason(error: BaseException, patience: float) -> str:
    """Why a bucket did not do what it was asked to, in a few words, without addresses, keys and signatures."""
    kind = type(error).__name__
    words = str(error).partition("\n\nDebug source")[0]  # which repeats all settings
    if kind in {"PermissionDeniedError", "UnauthenticatedError"}:
        return "it refuses these credentials"
    if kind == "PermissionError" or isinstance(error, PermissionError):
        return "it refuses access"
    low = str(error).lower().replace("retry_timeout", "")  # the settings of ours are repeated there
    for sign, said in _SIGNS:
        if sign in low:
            return said.format(f"{patience:g}")
    plain = " ".join(word for word in words.split() if "://" not in word and "/" not in word)
    return words_within(plain, REASON_CHARS) or kind


BROKEN, BUSY, AWAY = "the connection broke", "it asks to be left alone for a while", "it is not available"
PASSING = (BROKEN, BUSY, AWAY)  # what may be otherwise in a moment
# What the library's words mean, the surest first.
_SIGNS = (
    ("nosuchbucket", "there is no such bucket"),
    ("containernotfound", "there is no such container"),
    ("invalidaccesskeyid", "it refuses these credentials"),
    ("signaturedoesnotmatch", "it refuses these credentials"),
    ("expiredtoken", "the credentials have expired"),
    ("requesttimetooskewed", "the clocks differ too much"),
    ("accessdenied", "it refuses access"),
    ("insufficientstorage", "it is full"),
    ("quotaexceeded", "it is full"),
    ("no space left", "it is full"),
    (" 507 ", "it is full"),
    ("slowdown", BUSY),
    ("429 too many", BUSY),
    ("503 service", AWAY),
    ("connectionrefused", "nobody listens there"),
    ("dns error", "its host is not known"),
    ("timedout", "no answer within {} s"),
    ("timed out", "no answer within {} s"),
    ("scheme is not allowed", "plain http is not allowed; AWS_ALLOW_HTTP=true allows it"),
    ("badscheme", "plain http is not allowed; AWS_ALLOW_HTTP=true allows it"),
    ("builder error", "plain http is not allowed; AWS_ALLOW_HTTP=true allows it"),
    ("connectionreset", BROKEN),
    ("connectionaborted", BROKEN),
    ("incompletemessage", BROKEN),
    ("brokenpipe", BROKEN),
    ("unexpectedeof", BROKEN),
    ("tcp connect error", "it cannot be reached"),
    ("connection reset", BROKEN),
    ("error decoding response body", BROKEN),
    ("credential", "there are no credentials"),
    ("500 internal", "it failed"),
    ("error sending request", "it cannot be reached"),
)


def _check_bucket(error: FileNotFoundError) -> None:
    """Nothing where an object is not there; the error itself where the bucket is not."""
    if any(sign in str(error).lower() for sign in ("nosuchbucket", "containernotfound")):
        raise error


def _entry(found: Any) -> Entry:  # noqa: ANN401  # a mapping of obstore's
    return Entry(str(found["path"]), int(found["size"]), found["last_modified"].timestamp())


def _remove_one(obstore: Any, store: Any, key: str) -> None:  # noqa: ANN401  # of a library without types here
    try:
        obstore.delete(store, [key])
    except FileNotFoundError:
        return


def load_library() -> Any:  # noqa: ANN401  # an extra
    """The library that speaks to buckets; the extra that brings it is named where it is not there."""
    try:
        import obstore
    except ImportError:
        raise MissingExtra("artifacts.store", "fleet") from None
    return obstore


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

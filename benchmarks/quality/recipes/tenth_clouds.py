"""A cloud on loopback, a stack and forty hosts, by tools of every day that nobody tunes on; the odd is planted."""

import contextlib
import json
import os
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.databases import running
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.tenth_tools import SERVICES, TOOLS, each, made, pairs, recipes, stripped, venv_path

CLOUD, INFRASTRUCTURE = "cloud", "infrastructure"

FILL = """import boto3, sys
s3 = boto3.client("s3", endpoint_url=sys.argv[1])
s3.create_bucket(Bucket="ferries", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
for n in range(190):
    key = f"{('charts', 'tickets/2026', 'backups')[n % 3]}/pier-{n % 12}/part-{n:05d}.{'tmp' if n % 61 == 20 else 'parquet'}"
    s3.put_object(Bucket="ferries", Key=key, Body=b"x" * (0 if n % 47 == 11 else 700 + n * 37 % 5000 + (90_000 if n == 88 else 0)))
"""


@contextlib.contextmanager
def cloud(shop: Shop, room: str) -> Iterator[tuple[str, dict[str, str]]]:
    """A cloud on loopback with files; its address, and what its clients are told."""
    port = free_port()
    address = f"127.0.0.1:{port}"
    env = {
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ENDPOINT_URL": f"http://{address}",
        "HOME": room,
    }
    with running(
        [SERVICES.python_tool(shop, "moto_server"), "-H", "127.0.0.1", "-p", str(port)],
        room,
        lambda: listens(port),
        shop.environment() | env,
    ):
        shop.run([SERVICES.python(shop), "-c", FILL, f"http://{address}"], room, env=env).check()
        yield address, env


def s3cmd_run(name: str, shop: Shop) -> Iterator[Item]:
    """`s3cmd ls -r` of a bucket; the facts are planted: folders, what is empty, largest or unfinished."""
    room = shop.room(name)
    with cloud(shop, room) as (address, env):
        write(
            os.path.join(room, "s3cfg"),
            f"[default]\naccess_key = x\nsecret_key = x\nhost_base = {address}\nhost_bucket = {address}\nuse_https = False\nsignature_v2 = False\n",
        )
        text = shop.run(
            [SERVICES.python_tool(shop, "s3cmd"), "-c", "s3cfg", "ls", "-r", "--list-md5", "s3://ferries"],
            room,
            env=env,
        ).text

    def key(n: int) -> str:
        return f"s3://ferries/{('charts', 'tickets/2026', 'backups')[n % 3]}/pier-{n % 12}/part-{n:05d}.{'tmp' if n % 61 == 20 else 'parquet'}"

    sizes = {n: 0 if n % 47 == 11 else 700 + n * 37 % 5000 + (90_000 if n == 88 else 0) for n in range(190)}
    facts = pairs((size, key(n)) for n, size in sizes.items() if n == 88 or not size)
    facts += [
        *each("path", (key(n) for n in range(190) if n % 61 == 20)),
        *each("path", (os.path.dirname(key(n)) for n in range(36))),
    ]
    yield made(name, CLOUD, "s3cmd ls -r --list-md5 s3://ferries", text, facts)


CDK = """const cdk = require('aws-cdk-lib');
const { aws_s3: s3, aws_sqs: sqs, aws_lambda: lambda, aws_dynamodb: dynamodb } = cdk;
const app = new cdk.App({ analyticsReporting: false });
const stack = new cdk.Stack(app, 'Ferries', { synthesizer: new cdk.LegacyStackSynthesizer() });
for (let n = 0; n < 12; n++) {
  new s3.Bucket(stack, 'Charts' + n, { versioned: n % 5 === 2, removalPolicy: n % 7 === 3 ? cdk.RemovalPolicy.DESTROY : cdk.RemovalPolicy.RETAIN });
  const queue = new sqs.Queue(stack, 'Tides' + n, { visibilityTimeout: cdk.Duration.seconds(30 + n), fifo: n === 9 ? true : undefined });
  const table = new dynamodb.Table(stack, 'Tickets' + n, { partitionKey: { name: 'pier' + n, type: dynamodb.AttributeType.STRING }, billingMode: n % 4 === 1 ? dynamodb.BillingMode.PAY_PER_REQUEST : undefined });
  const moor = new lambda.Function(stack, 'Moor' + n, { runtime: lambda.Runtime.NODEJS_22_X, handler: 'index.moor' + n, code: lambda.Code.fromInline('exports.moor' + n + ' = () => ' + n), timeout: cdk.Duration.seconds(n === 6 ? 900 : 10) });
  table.grantReadData(moor); queue.grantSendMessages(moor);
  if (n % 6 === 4) moor.addFunctionUrl({ authType: lambda.FunctionUrlAuthType.NONE });
}
"""


def cdk_run(name: str, shop: Shop) -> Iterator[Item]:
    """`cdk synth` of a stack, YAML; the facts are those of the template in JSON: every resource, kind, and what was planted."""
    room, modules = shop.room(name), os.path.join(TOOLS.npm_room(shop), "node_modules")
    write(os.path.join(room, "app.js"), CDK)
    env = {"NODE_PATH": modules, "HOME": room, "CDK_DISABLE_VERSION_CHECK": "1", "AWS_EC2_METADATA_DISABLED": "true"}
    command = f"{modules}/.bin/cdk synth --app 'node app.js' --no-version-reporting --no-notices --no-path-metadata"
    text = stripped(shop.run(["sh", "-c", command], room, env=env, seconds=100, apart=True).text, room)
    template = json.loads(read(os.path.join(room, "cdk.out", "Ferries.template.json")))
    facts = [
        *each("name", template["Resources"]),
        *each("message", {one["Type"] for one in template["Resources"].values()}),
    ]
    facts += each(
        "message",
        [
            "Timeout: 900",
            "FifoQueue: true",
            "AuthType: NONE",
            "DeletionPolicy: Delete",
            "DeletionPolicy: Retain",
            "Status: Enabled",
            "BillingMode: PAY_PER_REQUEST",
            'Principal: "*"',
            *(f"VisibilityTimeout: {30 + n}" for n in (0, 11)),
        ],
    )
    yield made(name, INFRASTRUCTURE, "cdk synth", text, facts)


CHECK = 'n={n}; echo "pier $n: 12 berths, load 0.$n"; i=0; while [ $i -lt 9 ]; do echo "  /dev/vd$i 40G 1{n}G used at $i%"; i=$((i+1)); done; {bad}'


def ansible_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ansible all -m shell` on forty hosts; the facts are planted: which failed and why, which were not reached."""
    room = shop.room(name)
    hosts, facts = [], []
    for n in range(44):
        bad = f"echo rope {n} is frayed >&2; exit {n % 5 + 2}" if n % 8 == 3 else "true"
        write(os.path.join(room, "checks", f"pier{n}.sh"), CHECK.format(n=n, bad=bad) + "\n")
        lost = n % 17 == 6
        hosts.append(
            f"pier{n} ansible_connection="
            + (f"ssh ansible_host=127.0.0.1 ansible_port={free_port()}" if lost else "local")
        )
        facts += [Fact("odd", (), (f"pier{n}", "UNREACHABLE!" if lost else "FAILED" if n % 8 == 3 else "CHANGED"))]
        facts += each("message", [f"rope {n} is frayed"] if n % 8 == 3 and not lost else [])
    write(os.path.join(room, "hosts.ini"), "[piers]\n" + "\n".join(hosts) + "\n")
    env = {
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_PYTHON_INTERPRETER": SERVICES.python(shop),
        "HOME": room,
        "ANSIBLE_LOCALHOST_WARNING": "False",
        "PATH": venv_path(SERVICES, shop)["PATH"],
    }
    command = [
        SERVICES.python_tool(shop, "ansible"),
        "all",
        "-i",
        "hosts.ini",
        "-f",
        "4",
        "-m",
        "shell",
        "-a",
        f"sh {room}/checks/{{{{ inventory_hostname }}}}.sh",
    ]
    text = stripped(shop.run(command, room, env=env, seconds=400).text, room)
    yield made(name, INFRASTRUCTURE, "ansible all -m shell", text, facts)


RECIPES = recipes(
    ("s3cmd-ferries", s3cmd_run),
    ("cdk-ferries", cdk_run),
    ("ansible-piers", ansible_run),
)

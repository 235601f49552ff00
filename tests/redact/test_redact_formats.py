"""Secrets in the files, logs and commands of everyday tools, and what only looks like them."""

from functools import cache

import pytest

from overspill.redact import Redactor, scan_database
from overspill.redact.rules import made_up_value


@cache
def redactor() -> Redactor:
    return Redactor(database=scan_database())


@pytest.mark.parametrize(
    "text",
    [
        'db_password = "<A20>"\n',
        'provider "x" {\n  secret_key = "<A40>"\n}\n',
        '      ~ password = "<A8>" -> "<A20>"\n',
        '      - "POSTGRES_PASSWORD=<A20>"\n',
        "      POSTGRES_PASSWORD: <A20>\n",
        "2026-11-15T12:00:00.0000000Z   DB_PASSWORD: <A20>\n",
        "::add-mask::<A20>\n",
        "**Password:** <A20>\n",
        "*Password:* `<A20>`\n",
        "**Password**: <A20>\n",
        "SSHPASS=<A20> sshpass -e ssh host\n",
        "name;login;password\njoe;joe;<A20>\n",
        "$db = new mysqli('localhost', 'app', '<A20>', 'shop');\n",
        'DriverManager.getConnection("jdbc:mysql://db/x", "app", "<A20>");\n',
        "my $dbh = DBI->connect($dsn, 'app', '<A20>');\n",
        "<AdministratorPassword><Value><A20></Value></AdministratorPassword>\n",
        "using acme_live_<A32> now\n",
        "using acme_<A40> now\n",
        '{"id": 7, "value": "qx9_<A32>"}\n',
        "setenv DB_PASSWORD <A20>\n",
        "set -gx DB_PASSWORD <A20>\n",
        'db, err := sql.Open("mysql", "app:<A10>@<A10>@tcp(db:3306)/x")\n',
        "::set-output name=token::<A20>\n",
        "spring.datasource.password=<A20>\n",
        "java -Djavax.net.ssl.keyStorePassword=<A20> -jar x\n",
        '$sec = ConvertTo-SecureString "<A20>" -AsPlainText -Force\n',
        '$env:API_TOKEN = "<A20>"\n',
        '[Environment]::SetEnvironmentVariable("API_TOKEN", "<A20>", "User")\n',
        "machine h\n  login u\n  password <A20>\n",
        "localhost:5432:db:user:<A20>\n",
        "proxy = https://u:<A20>@gate.example.com/private\n",
        "    client-key-data: <B80>==\n",
        "  user:\n    token: <A40>\n",
        " 1042  export AWS_SECRET_ACCESS_KEY=<A40>\n",
        ": 1700000000:0;PGPASSWORD=<A20> psql -h db\n",
        "  16  echo <A20> | docker login -u joe --password-stdin\n",
        "  17  echo 'joe:<A20>' | sudo chpasswd\n",
        "  19  htpasswd -b file joe <A20>\n",
        "  23  7z x -p<A20> a.7z\n",
        "  28  kubectl create secret generic x --from-literal=foo=<A20>\n",
        "> Authorization: Bearer <A40>\n",
        "< Set-Cookie: sessionid=<A40>; Path=/; HttpOnly\n",
        "grant_type=password&username=joe&password=<A20>\n",
        "[HTTP/2] [1] [authorization: Bearer <A40>]\n",
        '            "master_password": "<A20>",\n',
        '    "db_password": {\n      "value": "<A20>",\n      "type": "string"\n    }\n',
    ],
)
def test_a_secret_is_hidden_where_it_usually_stands(text: str) -> None:
    for seed in range(3):
        filled = made_up_value(text, seed)
        result = redactor().redact(filled).text
        assert "REDACTED" in result, filled
        assert result.count("\n") == filled.count("\n")
        assert redactor().redact(result).text == result


@pytest.mark.parametrize(
    "text",
    [
        "password = var.db_password\n",
        'secret_key = data.vault_generic_secret.x.data["key"]\n',
        "      + password = (sensitive value)\n",
        "      POSTGRES_PASSWORD_FILE: /run/secrets/db_password\n",
        "      POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?err}\n",
        "secrets:\n  db_password:\n    file: ./db_password.txt\n",
        "    password: ${{ secrets.DOCKER_PASSWORD }}\n",
        "  DB_PASSWORD: ***\n",
        "spring.datasource.password=${DB_PASSWORD}\n",
        '$Password = Read-Host -AsSecureString "Password"\n',
        "ConvertTo-SecureString $env:PASSWORD -AsPlainText -Force\n",
        "machine learning login page password required\n",
        "      args: [eks, get-token, --cluster-name, prod1]\n",
        "  12  ssh -p 2222 host1\n",
        "  13  mkdir -p a1/b2/c3d4\n",
        "  23  7z x -p a.7z\n",
        "  28  kubectl create configmap x --from-literal=foo=bar1234567\n",
        "  29  echo hello1234 | grep hello\n",
        'WWW-Authenticate: Bearer realm="x", error="invalid_token"\n',
        '  "lineage": "3f4f079c-ec7f-4e1c-8fee-5f91fb878563",\n',
        '    "vpc_id": {\n      "value": "vpc-0a1b2c3d4e5f67890",\n      "type": "string"\n    }\n',
    ],
)
def test_what_usually_stands_there_instead_of_a_secret_stays(text: str) -> None:
    assert redactor().redact(text).text == text

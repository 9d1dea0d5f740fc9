"""Make known the tokens of our own processes, and give a new database its first operator's token.

`python -m deploy.tokens` reads DATABASE_URL (the owner), BOTS_TOKEN and SERVICE_TOKEN. It prints an
operator's token if there is none that holds; that is shown this once, because the database keeps only its
hash.
"""

import hashlib
import re
import secrets
import sys

import psycopg

from services.config import BadSettings, Settings

CONNECT_SECONDS_MAX = 5
_TOKEN = re.compile(r"pin_[A-Za-z0-9_-]{43}")


class BadToken(Exception):
    """A token that is not `pin_` and 43 characters; the text does not repeat it."""


def new_token() -> str:
    """A token that nobody can guess: 256 random bits."""
    return f"pin_{secrets.token_urlsafe(32)}"


def register(conninfo: str, bots: str, service: str, operator: str = "") -> str:
    """Add the tokens to a migrated database, and make an operator's where none holds; return that one.

    Adding a token again changes nothing. What is returned is empty where the operator has one already.
    """
    with psycopg.connect(conninfo, connect_timeout=CONNECT_SECONDS_MAX) as connection:
        _add(connection, bots, "bots")
        _add(connection, service, "service")
        if not operator and not _has_operator(connection):
            operator = new_token()
        if operator:
            _add(connection, operator, "operator")
        return operator


def main() -> int:
    try:
        settings = Settings.load().required("database_url", "bots_token", "service_token")
        operator = register(settings.database_url, settings.bots_token, settings.service_token)
    except (BadSettings, BadToken, psycopg.Error) as error:
        print(f"tokens: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    if operator:
        print(f"operator's token, shown this once: {operator}")
    return 0


def _add(connection: psycopg.Connection, token: str, role: str) -> None:
    if not _TOKEN.fullmatch(token):
        raise BadToken(f"the token for {role} must be pin_ and 43 letters, digits, - or _")
    digest = hashlib.sha256(token.encode()).digest()
    connection.execute(
        "insert into auth.tokens (hash, id, role, note) values (%s, %s, %s, %s) on conflict do nothing",
        (digest, f"{role}-{digest.hex()[:12]}", role, "made at a start of the system"),
    )


def _has_operator(connection: psycopg.Connection) -> bool:
    found = connection.execute(
        "select from auth.tokens where role = 'operator' and revoked_at is null"
        " and (expires_at is null or expires_at > clock_timestamp()) limit 1"
    )
    return found.fetchone() is not None


if __name__ == "__main__":
    sys.exit(main())

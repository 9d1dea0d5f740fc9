"""The embedded servers: they keep what was written, whoever runs them and however they end."""

import psycopg
import redis

from tests.conftest import CONNECT_SECONDS, TestPostgres, TestValkey


def test_postgres_keeps_a_committed_row_over_a_kill(postgres: TestPostgres) -> None:
    with psycopg.connect(postgres.admin_url, autocommit=True, connect_timeout=CONNECT_SECONDS) as connection:
        connection.execute("create table if not exists survivor (n int)")
        connection.execute("insert into survivor values (7)")

    postgres.kill()
    postgres.restart()

    with psycopg.connect(postgres.admin_url, autocommit=True, connect_timeout=CONNECT_SECONDS) as connection:
        assert [(7,)] == connection.execute("select n from survivor").fetchall()
        connection.execute("drop table survivor")


def test_valkey_keeps_a_value_over_an_orderly_restart(valkey: TestValkey) -> None:
    with redis.Redis.from_url(valkey.url, socket_timeout=CONNECT_SECONDS) as client:
        client.set("survivor", "7")

    valkey.restart()

    with redis.Redis.from_url(valkey.url, socket_timeout=CONNECT_SECONDS) as client:
        assert b"7" == client.get("survivor")

-- A transaction that is left open holds rows and keeps dead ones: whoever forgets one is disconnected, so that the
-- acts of a table whose row it holds can be stored. A session may ask for more time, as pg_dump does by itself.

do $$
declare
  name text;
begin
  execute format('alter database %I set idle_in_transaction_session_timeout = %L', current_database(), '15s');
  foreach name in array array['pinochle_tables', 'pinochle_tournaments'] loop
    begin
      execute format('alter role %I set idle_in_transaction_session_timeout = %L', name, '10s');
      execute format('alter role %I set statement_timeout = %L', name, '30s');
      execute format('alter role %I set lock_timeout = %L', name, '5s');
    exception when others then
      if sqlstate <> 'XX000' then  -- another database of this cluster is setting the same at this moment
        raise;
      end if;
    end;
  end loop;
end
$$;

    create table tasks (
        number integer primary key,
        title text not null,
        status text not null,       -- as it stands: blocked while a dependency is open
        said text not null,         -- as it was said
        priority text not null,
        type text not null,
        parent integer references tasks,
        phase text,
        created text not null,
        completed text,
        archived integer,           -- when it was put away, as a number that only grows; null if it is not
        archived_at text,
        description text,
        notes text,
        acceptance text,
        files text,
        verification text
    ) strict;
    -- A list is counted and paged in these alone, so each holds all that its filter looks at.
    create index tasks_live on tasks (number, archived, status, priority, type, phase, parent) where archived is null;
    create index tasks_by_status on tasks (status, number, archived) where archived is null;
    create index tasks_by_phase on tasks (phase, number, archived) where archived is null;
    create index tasks_by_type on tasks (type, number, archived) where archived is null;
    create index tasks_by_priority on tasks (priority, number, archived) where archived is null;
    create index tasks_by_parent on tasks (parent, number, archived);
    create unique index tasks_archived on tasks (archived) where archived is not null;

    create table labels (
        task integer not null references tasks, label text not null, primary key (task, label)
    ) strict, without rowid;
    create index labels_by_label on labels (label, task);

    create table dependencies (
        task integer not null references tasks, needs integer not null references tasks, primary key (task, needs)
    ) strict, without rowid;
    create index dependencies_by_needs on dependencies (needs, task);

    create table counters (name text primary key, value integer not null) strict, without rowid;
    insert into counters values ('archived', 0);

    create table sessions (
        id text primary key, name text, scope text, focus integer references tasks, notes text
    ) strict, without rowid;
    create table focus_history (
        session text not null, task integer not null references tasks, since text not null
    ) strict;
    create index focus_history_by_session on focus_history (session);

    create view live as select number, title, description, notes from tasks where archived is null;
    create view shelf as select number, title, description, notes from tasks where archived is not null;
    create virtual table search using fts5 (
        title, description, notes, content='live', content_rowid='number',
        tokenize='unicode61 remove_diacritics 2', prefix='1 2 3'
    );
    create virtual table search_shelf using fts5 (
        title, description, notes, content='shelf', content_rowid='number',
        tokenize='unicode61 remove_diacritics 2', prefix='1 2 3'
    );
    create trigger tasks_added after insert on tasks begin
        insert into search (rowid, title, description, notes)
            values (new.number, new.title, new.description, new.notes);
    end;
    create trigger tasks_changed after update of title, description, notes, archived on tasks begin
        insert into search (search, rowid, title, description, notes)
            select 'delete', old.number, old.title, old.description, old.notes where old.archived is null;
        insert into search_shelf (search_shelf, rowid, title, description, notes)
            select 'delete', old.number, old.title, old.description, old.notes where old.archived is not null;
        insert into search (rowid, title, description, notes)
            select new.number, new.title, new.description, new.notes where new.archived is null;
        insert into search_shelf (rowid, title, description, notes)
            select new.number, new.title, new.description, new.notes where new.archived is not null;
    end;

    create table words (number integer primary key, word text not null unique) strict;
    create virtual table slips using fts5 (word, content='words', content_rowid='number', tokenize='trigram');
    create trigger words_added after insert on words begin
        insert into slips (rowid, word) values (new.number, new.word);
    end;

'use client';

import { Button, TextInput } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { IconSearch } from '../icons/icons';
import classes from './server-search.module.css';

type ServerSearchProps = { action: string; label: string; placeholder: string; query: string };

/** Searches a page that the server renders. Works as a plain form, too. */
export function ServerSearch({ action, label, placeholder, query }: ServerSearchProps) {
  const router = useRouter();
  const [text, setText] = useState(query);
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // Not the state, which doesn't have what was typed before the scripts ran.
    const entered = String(new FormData(event.currentTarget).get('q')).trim();
    router.push(entered ? `${action}?q=${encodeURIComponent(entered)}` : action);
  };
  return (
    <search>
      <form className={classes.search} action={action} onSubmit={search}>
        <TextInput
          aria-label={label}
          placeholder={placeholder}
          name="q"
          data-search
          leftSection={<IconSearch size={16} stroke={1.5} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit">Search</Button>
      </form>
    </search>
  );
}

'use client';

import { Button, TextInput } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { IconSearch } from '@/components/icons/icons';
import classes from './docs.module.css';

/** Searches on the server. Works as a plain form, too. */
export function DocsSearch({ query }: { query: string }) {
  const router = useRouter();
  const [text, setText] = useState(query);
  const search = (event: FormEvent) => {
    event.preventDefault();
    router.push(text.trim() ? `/docs?q=${encodeURIComponent(text.trim())}` : '/docs');
  };
  return (
    <search>
      <form className={classes.search} action="/docs" onSubmit={search}>
        <TextInput
          aria-label="Search the documentation"
          placeholder="For example: relay password"
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

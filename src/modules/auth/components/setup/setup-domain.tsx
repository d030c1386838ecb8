'use client';

import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import Link from 'next/link';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Lead } from '../postcard';

export function SetupDomain({ onDone }: { onDone: (domain: string) => void }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a domain such as example.org.' : null) },
  });
  const create = trpc.domains.create.useMutation({
    onSuccess: ({ name }) => onDone(name),
    onError: (error) => {
      const refused = toProblem(error);
      if (refused.code === 'DOMAIN_EXISTS') form.setErrors({ name: refused.message });
      else setProblem(applyFieldErrors(refused, form, { name: 'name' }));
    },
  });

  return (
    <>
      <h1>Add a domain</h1>
      <Lead>You’re signed in. Add the domain you want to send from.</Lead>
      <form
        noValidate
        onSubmit={form.onSubmit(({ name }) => {
          setProblem(null);
          create.mutate({ name: name.trim() });
        })}
      >
        <Stack>
          <ProblemAlert problem={problem} />
          <TextInput
            label="Domain"
            className="mono-input"
            placeholder="example.org"
            autoComplete="off"
            spellCheck={false}
            autoCapitalize="none"
            {...form.getInputProps('name')}
          />
          <Button variant="filled" type="submit" fullWidth loading={create.isPending}>
            Add domain
          </Button>
          <Button component={Link} href="/" variant="subtle" color="gray" fullWidth>
            Skip for now
          </Button>
        </Stack>
      </form>
    </>
  );
}

'use client';

import { Button, Stack, TextInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { NearLink } from '@/components/near-link';
import { CreateDomain, type Domain } from '@/modules/domains/schema';
import { Lead } from '../postcard';

type SetupDomainProps = {
  /** The domain that was added before, if the admin came back. */
  added: Domain | undefined;
  onDone: (id: string) => void;
};

export function SetupDomain({ added, onDone }: SetupDomainProps) {
  const utils = trpc.useUtils();
  const create = trpc.domains.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateDomain,
    initialValues: { name: '' },
    toInput: (values) => trimmed(values, ['name']),
    submit: (input) => create.mutateAsync(input),
    onSaved: async ({ id }) => {
      await Promise.all([utils.domains.invalidate(), utils.overview.invalidate()]);
      onDone(id);
    },
  });

  return (
    <>
      <h1>Add a domain</h1>
      <Lead>
        {added
          ? `You added ${added.name}. You can add another one.`
          : 'You’re signed in. Add the domain you want to send from.'}
      </Lead>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <ProblemAlert problem={problem} />
          <TextInput
            label="Domain"
            data-autofocus
            className="mono-input"
            placeholder="example.org"
            autoComplete="off"
            spellCheck={false}
            autoCapitalize="none"
            {...form.getInputProps('name')}
          />
          <Button variant={added ? 'default' : 'filled'} type="submit" fullWidth loading={isBusy}>
            Add domain
          </Button>
          {added && (
            <Button variant="filled" fullWidth onClick={() => onDone(added.id)}>
              Continue with {added.name}
            </Button>
          )}
          <Button component={NearLink} href="/" variant="subtle" color="gray" fullWidth>
            Skip for now
          </Button>
        </Stack>
      </form>
    </>
  );
}

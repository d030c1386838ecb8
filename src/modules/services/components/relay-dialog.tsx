'use client';

import { PasswordInput, Select, TextInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { keepsRelayPassword, RELAY_TLS, type RelayTls } from '@/lib/mail/operations';
import { type Relay, SetRelay } from '../schema';
import { RELAY_TLS_TEXTS } from './operation-texts';

type RelayDialogProps = {
  opened: boolean;
  host: string;
  /** The relay that the mail server uses now. */
  relay: Relay | null;
  onClose: () => void;
  onStarted: (operationId: string) => void;
};

/** Has a mail server send through another one. */
export function RelayDialog({ opened, host, relay, onClose, onStarted }: RelayDialogProps) {
  const set = trpc.services.setRelay.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: SetRelay,
    initialValues: {
      destination: relay?.destination ?? '',
      user: relay?.user ?? '',
      password: '',
      tls: (relay?.tls ?? 'encrypt') as RelayTls,
    },
    toInput: (values) => {
      const { destination, user, password } = trimmed(values, ['destination', 'user', 'password']);
      return { host, relay: { destination, user: user || null, password: password || null, tls: values.tls } };
    },
    submit: (input) => set.mutateAsync(input),
    onSaved: ({ id }) => {
      onClose();
      onStarted(id);
    },
  });
  const { destination, user, tls } = form.values;
  const keepsPassword = user !== '' && keepsRelayPassword(relay, { destination, user, tls });

  return (
    <Dialog
      opened={opened}
      title={relay ? 'Change relay' : 'Set relay'}
      action="Save and apply"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <p className="soft">
        All outbound mail of <span className="mono">{host}</span> goes through this server. The settings file there is
        changed and applied; if that fails, the former settings are back.
      </p>
      <TextInput
        label="Server"
        description="In brackets, with its port: [smtp.example.net]:587"
        className="mono-input"
        data-autofocus
        {...form.getInputProps('destination')}
      />
      <TextInput
        label="User"
        description="Empty if the relay wants none"
        className="mono-input"
        autoComplete="off"
        {...form.getInputProps('user')}
      />
      <PasswordInput
        label="Password"
        description={keepsPassword ? 'Empty to keep the one that is set' : undefined}
        className="mono-input"
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <Select
        label="TLS"
        allowDeselect={false}
        data={RELAY_TLS.map((value) => ({ value, label: RELAY_TLS_TEXTS[value] }))}
        {...form.getInputProps('tls')}
      />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

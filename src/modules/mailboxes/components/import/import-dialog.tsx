'use client';

import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { ImportDialog as Import } from '@/components/import/import-dialog';
import { notify } from '@/components/notifications';
import type { DomainChoice } from '@/components/pickers/domain-picker';
import { formatPlural } from '@/lib/format';
import { ImportMailboxes, type MailboxImportReport } from '../../import/schema';
import { ImportedPasswords, type NewPassword } from './imported-passwords';

type ImportDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  onClose: () => void;
};

export function ImportDialog({ opened, onClose, ...props }: ImportDialogProps) {
  const utils = trpc.useUtils();
  const run = trpc.mailboxes.import.useMutation();
  const [passwords, setPasswords] = useState<NewPassword[]>([]);
  const [isImported, setImported] = useState(false);

  const onImported = async ({ lines, created, failed }: MailboxImportReport) => {
    const generated = lines.flatMap(({ domain, local_part, password }) =>
      password === null ? [] : [{ email: `${local_part}@${domain}`, password }],
    );
    setPasswords(generated);
    setImported(failed === 0);
    await Promise.all([utils.mailboxes.list.invalidate(), utils.domains.invalidate()]);
    const others = failed > 0 ? `; ${formatPlural(failed, 'line')} failed` : '';
    notify({ text: `Imported ${formatPlural(created, 'mailbox', 'mailboxes')}${others}` });
    return generated.length === 0;
  };

  const done = () => {
    setPasswords([]);
    if (isImported) onClose();
  };
  return (
    <>
      <ImportedPasswords opened={opened && passwords.length > 0} passwords={passwords} onDone={done} />
      <Import
        {...props}
        opened={opened && passwords.length === 0}
        noun={{ one: 'mailbox', many: 'mailboxes' }}
        schema={ImportMailboxes}
        run={(input) => run.mutateAsync(input)}
        allLabel="Domains in the file"
        description="Include a header row. Only local_part is required; for several domains, enter whole addresses. Without a password, one is generated."
        example={'local_part,display_name,password,quota_mb,active\nann,Ann Field,,2048,true'}
        exampleOfSeveral={'email,display_name,password,quota_mb,active\nann@example.com,Ann Field,,2048,true'}
        header="Mailbox"
        nameOf={({ domain, local_part, display_name }) => (
          <>
            <b>{local_part || '(no address)'}</b>
            {domain && `@${domain}`} <span className="soft">{display_name}</span>
          </>
        )}
        // The answer may have passwords that are shown only once.
        isHeldOpen
        onImported={onImported}
        onClose={onClose}
      />
    </>
  );
}

'use client';

import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { DialogFields, DialogFooter, DialogFrame } from '@/components/dialogs/dialog';
import { type DomainChoice, DomainPicker } from '@/components/pickers/domain-picker';
import { SegmentedControl } from '@/components/segmented-control';
import { LocalText } from '@/components/values/local-text';
import { formatFull } from '@/lib/format';
import type { Backup } from '../../schema';
import { OperationProgress } from '../operation-panel';
import { useBackupOperation } from '../use-backup-operation';
import { Differences } from './differences';

type RestoreDialogProps = {
  opened: boolean;
  backup: Backup | null;
  onClose: () => void;
  /** The restore has begun. */
  onStarted: (operationId: string) => void;
};

const SCOPES = { all: 'Everything', domain: 'One domain' };

/** Three steps: what to restore, what that would change, and the name typed. */
export function RestoreDialog({ opened, backup, onClose, onStarted }: RestoreDialogProps) {
  const [scope, setScope] = useState<keyof typeof SCOPES>('all');
  const [domain, setDomain] = useState<DomainChoice | null>(null);
  const [previewId, setPreviewId] = useState<string | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const restore = trpc.backups.restore.useMutation();
  const preview = useBackupOperation(previewId).data;
  if (!backup) return null;

  const name = scope === 'domain' ? (domain?.name ?? '') : window.location.hostname;
  const input = { id: backup.id, ...(scope === 'domain' && domain && { scope: { domain_id: domain.id } }) };
  const start = (isDryRun: boolean, onSuccess: (id: string) => void) =>
    restore.mutate({ ...input, dry_run: isDryRun }, { onSuccess: ({ id }) => onSuccess(id) });
  const isChosen = scope === 'all' || domain !== null;
  const isTyped = typed?.trim().toLowerCase() === name.toLowerCase();
  const step = previewId === null ? 'choose' : typed === null ? 'preview' : 'confirm';

  return (
    <DialogFrame opened={opened} onClose={onClose} title={TITLES[step]} size={608}>
      <DialogFields>
        <p className="soft">
          The backup of <LocalText>{() => formatFull(backup.started_at)}</LocalText>.
        </p>
        {step === 'choose' && (
          <>
            <SegmentedControl label="What to restore" value={scope} options={SCOPES} onChange={setScope} />
            {scope === 'domain' && (
              <DomainPicker
                description="One that was deleted: npm run restore -- FILE --domain NAME"
                placeholder="Choose a domain"
                value={domain?.id}
                known={domain ?? undefined}
                onChange={(_, chosen) => setDomain(chosen)}
              />
            )}
            <p>{CONSEQUENCES[scope]}</p>
          </>
        )}
        {step === 'preview' && (
          <>
            {preview ? <OperationProgress operation={preview} /> : <p className="soft">Starting…</p>}
            {preview?.result && <Differences differences={preview.result.differences} />}
          </>
        )}
        {step === 'confirm' && (
          <>
            <p>{CONSEQUENCES[scope]}</p>
            <TextInput
              className="mono-input"
              label={`Type ${name} to confirm`}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              value={typed ?? ''}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </>
        )}
        <ProblemAlert problem={restore.error && toProblem(restore.error)} />
      </DialogFields>
      <DialogFooter>
        <span className="spacer" />
        <Button onClick={onClose}>Cancel</Button>
        {step === 'choose' && (
          <Button
            variant="filled"
            disabled={!isChosen}
            loading={restore.isPending}
            onClick={() => start(true, setPreviewId)}
          >
            Preview
          </Button>
        )}
        {step === 'preview' && (
          <Button variant="filled" disabled={preview?.state !== 'succeeded'} onClick={() => setTyped('')}>
            Continue
          </Button>
        )}
        {step === 'confirm' && (
          <Button
            className="danger"
            disabled={!isTyped}
            loading={restore.isPending}
            onClick={() => start(false, onStarted)}
          >
            {scope === 'domain' ? `Restore ${name}` : 'Restore everything'}
          </Button>
        )}
      </DialogFooter>
    </DialogFrame>
  );
}

const TITLES = { choose: 'Restore a backup', preview: 'What the restore changes', confirm: 'Restore a backup' };

const CONSEQUENCES = {
  all: 'Everything in the database becomes as it was then, and everyone has to sign in again. Mail in mailboxes is not touched.',
  domain:
    'The domain becomes as it was then, with its mailboxes, aliases, DKIM keys, filters, webhooks and API keys. Suppressions that are missing come back, and newer ones stay. Messages, statistics, the audit log and other domains are not touched.',
};

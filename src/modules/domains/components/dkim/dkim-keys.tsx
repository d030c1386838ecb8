'use client';

import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ErrorState } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { useUrlDialog } from '@/components/dialogs/use-url-dialog';
import { StatusMark } from '@/components/marks/status-mark';
import { SettingsSection } from '@/components/settings-section';
import { DateTime } from '@/components/values/date-time';
import type { DkimKey } from '../../dkim/schema';
import type { DnsRecord } from '../../dns/schema';
import type { Domain } from '../../schema';
import { ActivateDialog } from './activate-dialog';
import { ActiveKey } from './active-key';
import { DiscardDialog } from './discard-dialog';
import classes from './dkim.module.css';
import { KeyHeader } from './key-header';
import { PendingKey } from './pending-key';
import type { Dkim } from './use-dkim';

const RotateDialog = lazyDialog(() => import('./rotate-dialog').then((module) => module.RotateDialog));

type DkimKeysProps = {
  domain: Domain;
  dkim: Dkim;
  /** The results of the last DNS check. */
  records: DnsRecord[] | undefined;
  isReadOnly: boolean;
};

export function DkimKeys({ domain, dkim, records, isReadOnly }: DkimKeysProps) {
  const [isRotating, rotation] = useUrlDialog('rotate');
  const [activating, setActivating] = useState<DkimKey | null>(null);
  const [discarding, setDiscarding] = useState<DkimKey | null>(null);
  const { keys, mailServer, error, retry } = dkim;
  const active = keys?.find(({ status }) => status === 'active');
  const pending = keys?.find(({ status }) => status === 'pending');
  const retired = keys?.filter(({ status }) => status === 'retired') ?? [];
  const onActivate = isReadOnly ? undefined : setActivating;
  const canRotate = keys !== undefined && !isReadOnly && !pending;

  // Or it would open once the pending key is activated.
  useEffect(() => {
    if (isRotating && pending) rotation.close();
  }, [isRotating, pending, rotation]);

  return (
    <SettingsSection
      title="DKIM"
      hint="Signs outgoing mail. Receiving servers verify the signature against a DNS record of the domain."
    >
      {keys ? (
        <div className={classes.keys}>
          {pending && (
            <PendingKey dkimKey={pending} onActivate={onActivate} onDiscard={isReadOnly ? undefined : setDiscarding} />
          )}
          {active ? (
            <ActiveKey
              domain={domain}
              dkimKey={active}
              mailServer={mailServer}
              record={records?.find(({ purpose, name }) => purpose === 'dkim' && name === active.dns_record.name)}
            />
          ) : (
            <p className="soft">
              This domain has no active key. The mail server holds the domain’s mail until it has one.
            </p>
          )}
          {canRotate && (
            <div>
              <Button onClick={rotation.open}>Rotate key</Button>
            </div>
          )}
          {isReadOnly && <p className="soft">Only admins can rotate keys.</p>}
          {retired.length > 0 && <RetiredKeys keys={retired} onActivate={onActivate} />}
        </div>
      ) : (
        <ErrorState what="DKIM keys" error={error} onRetry={retry} />
      )}
      <RotateDialog domain={domain} opened={isRotating && canRotate} onClose={rotation.close} />
      <ActivateDialog
        domain={domain}
        dkimKey={activating}
        active={active}
        mailServer={mailServer}
        onClose={() => setActivating(null)}
      />
      <DiscardDialog domain={domain} dkimKey={discarding} onClose={() => setDiscarding(null)} />
    </SettingsSection>
  );
}

type RetiredKeysProps = { keys: DkimKey[]; onActivate?: (key: DkimKey) => void };

function RetiredKeys({ keys, onActivate }: RetiredKeysProps) {
  return (
    <section aria-label="Retired keys">
      <p className="soft">
        Keep the DNS record of a retired key for a week, because messages it signed may still be in transit. Then delete
        the record.
      </p>
      <ul className={classes.retired}>
        {keys.map((key) => (
          <li key={key.selector}>
            <KeyHeader dkimKey={key} mark={<StatusMark status="off">Retired</StatusMark>}>
              {key.retired_at && (
                <>
                  until <DateTime iso={key.retired_at} />
                </>
              )}
            </KeyHeader>
            {onActivate && (
              <Button size="xs" aria-label={`Reactivate ${key.selector}`} onClick={() => onActivate(key)}>
                Reactivate
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

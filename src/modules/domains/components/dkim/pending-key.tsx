import { Button, Group } from '@mantine/core';
import { StatusMark } from '@/components/marks/status-mark';
import { Steps } from '@/components/text/steps';
import { DateTime } from '@/components/values/date-time';
import type { DkimKey } from '../../dkim/schema';
import classes from './dkim.module.css';
import { DkimRecord } from './dkim-record';
import { KeyHeader } from './key-header';

type PendingKeyProps = {
  dkimKey: DkimKey;
  onActivate?: (key: DkimKey) => void;
  onDiscard?: (key: DkimKey) => void;
};

export function PendingKey({ dkimKey, onActivate, onDiscard }: PendingKeyProps) {
  return (
    <section className={classes.key} aria-label={`Pending key ${dkimKey.selector}`}>
      <KeyHeader dkimKey={dkimKey} mark={<StatusMark status="pending">Pending</StatusMark>}>
        created <DateTime iso={dkimKey.created_at} />
      </KeyHeader>
      <Steps isSmall>
        <div>
          <p>
            <b>Publish this record</b> at your DNS provider. Keep the record of the active key.
          </p>
          <DkimRecord {...dkimKey} />
        </div>
        <p>
          <b>Wait for DNS to propagate:</b> usually a few minutes, up to an hour with a slow DNS provider.
        </p>
        <div>
          <p>
            <b>Activate the key.</b> The next message is signed with it. Until then, nothing changes.
          </p>
          {onActivate && (
            <Group pt="md">
              <Button variant="filled" onClick={() => onActivate(dkimKey)}>
                Activate {dkimKey.selector}
              </Button>
              {onDiscard && <Button onClick={() => onDiscard(dkimKey)}>Discard key</Button>}
            </Group>
          )}
        </div>
      </Steps>
    </section>
  );
}

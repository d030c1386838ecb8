import { Button } from '@mantine/core';
import { DateTime } from '@/components/date-time';
import { StatusMark } from '@/components/marks/status-mark';
import type { DkimKey } from '../../dkim/schema';
import { DkimRecord } from './dkim-record';
import { KeyHead } from './key-head';

type PendingKeyProps = { dkimKey: DkimKey; onActivate?: (key: DkimKey) => void };

export function PendingKey({ dkimKey, onActivate }: PendingKeyProps) {
  return (
    <section className="dkim-key" aria-label={`Pending key ${dkimKey.selector}`}>
      <KeyHead dkimKey={dkimKey} mark={<StatusMark status="pending">Pending</StatusMark>}>
        made <DateTime iso={dkimKey.created_at} />
      </KeyHead>
      <ol className="steps">
        <li>
          <div>
            <p>
              <b>Publish this record</b> where the DNS of the domain is kept. Leave the one of the active key there.
            </p>
            <DkimRecord {...dkimKey} />
          </div>
        </li>
        <li>
          <p>
            <b>Wait until it is seen</b> everywhere: a few minutes as a rule, an hour where the DNS host is slow.
          </p>
        </li>
        <li>
          <div>
            <p>
              <b>Activate the key.</b> The next message is signed with it; until then nothing changes.
            </p>
            {onActivate && (
              <div className="row-actions">
                <Button variant="filled" onClick={() => onActivate(dkimKey)}>
                  Activate {dkimKey.selector}
                </Button>
              </div>
            )}
          </div>
        </li>
      </ol>
    </section>
  );
}

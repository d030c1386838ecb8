import { Button } from '@mantine/core';
import { StatusMark } from '@/components/marks/status-mark';
import { DateTime } from '@/components/values/date-time';
import type { DkimKey } from '../../dkim/schema';
import classes from './dkim.module.css';
import { KeyHeader } from './key-header';

type RetiredKeysProps = { keys: DkimKey[]; onActivate?: (key: DkimKey) => void };

export function RetiredKeys({ keys, onActivate }: RetiredKeysProps) {
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

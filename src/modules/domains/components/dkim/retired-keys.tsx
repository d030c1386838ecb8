import { Button } from '@mantine/core';
import { DateTime } from '@/components/date-time';
import { StatusMark } from '@/components/marks/status-mark';
import type { DkimKey } from '../../dkim/schema';
import { KeyHead } from './key-head';

type RetiredKeysProps = { keys: DkimKey[]; onActivate?: (key: DkimKey) => void };

export function RetiredKeys({ keys, onActivate }: RetiredKeysProps) {
  return (
    <section aria-label="Retired keys">
      <p className="soft">
        Leave the record of a retired key published for a week: what it signed may still be under way. After that,
        delete the record.
      </p>
      <ul className="dkim-retired">
        {keys.map((key) => (
          <li key={key.selector}>
            <KeyHead dkimKey={key} mark={<StatusMark status="off">Retired</StatusMark>}>
              {key.retired_at && (
                <>
                  until <DateTime iso={key.retired_at} />
                </>
              )}
            </KeyHead>
            {onActivate && (
              <Button size="xs" aria-label={`Activate again: ${key.selector}`} onClick={() => onActivate(key)}>
                Activate again
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

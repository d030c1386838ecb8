import { Fragment } from 'react';
import { DetailsList } from '@/components/text/details-list';
import { formatCount } from '@/lib/format';
import { choicesOf } from '@/lib/lists';
import type { BackupOperation } from '../../schema';
import { tableTitle } from '../texts';

type Difference = NonNullable<BackupOperation['result']>['differences'][number];

const KINDS = { added: 'added', changed: 'changed back', removed: 'removed' } as const;

/** The changes that a restore would make, table by table. */
export function Differences({ differences }: { differences: Difference[] }) {
  const changed = differences.filter(
    ({ added, changed, removed, left_out: leftOut }) => added + changed + removed + leftOut.length > 0,
  );
  if (changed.length === 0) return <p>The database has what is in the archive. Nothing would change.</p>;
  return (
    <DetailsList>
      {changed.map((difference) => (
        <Fragment key={difference.table}>
          <dt>{tableTitle(difference.table)}</dt>
          <dd>
            {kindsOf(difference).map((kind) => (
              <p key={kind}>
                {formatCount(difference[kind])} {KINDS[kind]}
                {difference.examples[kind].length > 0 && (
                  <span className="soft">: {namesOf(difference.examples[kind], difference[kind])}</span>
                )}
              </p>
            ))}
            {difference.left_out.map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
          </dd>
        </Fragment>
      ))}
    </DetailsList>
  );
}

function kindsOf(difference: Difference): (keyof typeof KINDS)[] {
  return choicesOf(KINDS).filter((kind) => difference[kind] > 0);
}

function namesOf(names: string[], count: number): string {
  const rest = count - names.length;
  return `${names.join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`;
}

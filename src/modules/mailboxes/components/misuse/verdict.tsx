import { Notice } from '@/components/layout/notice';
import type { SentLately } from '../../schema';
import { usualFigures } from './misuse-signs';
import classes from './verdict.module.css';

/** The verdict on the last 24 hours, above the facts that it follows from. */
export function Verdict({ signs, sent }: { signs: string[]; sent: SentLately }) {
  return (
    <div className={classes.verdict}>{signs.length === 0 ? <Nothing sent={sent} /> : <Signs signs={signs} />}</div>
  );
}

function Nothing({ sent }: { sent: SentLately }) {
  return (
    <Notice status="delivered" title="No sign of misuse in the last 24 hours">
      <p className="soft">{usualFigures(sent)}</p>
    </Notice>
  );
}

function Signs({ signs }: { signs: string[] }) {
  return (
    <Notice status="bounced" title={signs.length === 1 ? 'A sign of misuse' : `${signs.length} signs of misuse`}>
      <ul className={classes.signs}>
        {signs.map((sign) => (
          <li key={sign}>{sign}</li>
        ))}
      </ul>
    </Notice>
  );
}

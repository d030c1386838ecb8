import { StatusMark } from '@/components/marks/status-mark';
import { TextButton } from '@/components/text/text-button';
import type { SieveVerdict } from '../../schema';
import classes from './check-result.module.css';

type CheckResultProps = { verdict: SieveVerdict | null; onShow: (line: number) => void };

/** The compiler's result, with links to the lines of errors. */
export function CheckResult({ verdict, onShow }: CheckResultProps) {
  return (
    <div role="status" className={classes.result}>
      {verdict?.valid && <StatusMark status="on">The script compiles</StatusMark>}
      {verdict && !verdict.valid && (
        <>
          <StatusMark status="bounced">The script doesn’t compile</StatusMark>
          <ul aria-label="Compiler errors">
            {verdict.errors.map(({ line, message }, index) => (
              <li key={`${line}-${message}-${verdict.errors.slice(0, index).length}`}>
                {line === null ? (
                  <span className="soft">Script</span>
                ) : (
                  <TextButton onClick={() => onShow(line)}>Line {line}</TextButton>
                )}
                <span>{message}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

import { StatusMark } from '@/components/marks/status-mark';
import type { SieveVerdict } from '../schema';

type CheckResultProps = { verdict: SieveVerdict | null; onShow: (line: number) => void };

/** What the compiler says, each fault leading to its line. */
export function CheckResult({ verdict, onShow }: CheckResultProps) {
  return (
    <div role="status" className="check-result">
      {verdict?.valid && <StatusMark status="on">It compiles</StatusMark>}
      {verdict && !verdict.valid && (
        <>
          <StatusMark status="bounced">It does not compile</StatusMark>
          <ul aria-label="What the compiler says">
            {verdict.errors.map(({ line, message }, index) => (
              <li key={`${line}-${message}-${verdict.errors.slice(0, index).length}`}>
                {line === null ? (
                  <span className="soft">Script</span>
                ) : (
                  <button type="button" className="act text-button" onClick={() => onShow(line)}>
                    Line {line}
                  </button>
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

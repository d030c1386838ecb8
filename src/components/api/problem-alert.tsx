import { StatusMark } from '../marks/status-mark';
import type { Problem } from './problem';

type ProblemAlertProps = { problem: Problem | null; title?: string };

export function ProblemAlert({ problem, title }: ProblemAlertProps) {
  if (!problem) return null;
  return (
    <div className="alert" role="alert" data-tone="bounced">
      <StatusMark status="bounced">{title ?? problem.message}</StatusMark>
      {title && <p>{problem.message}</p>}
      {problem.fields.map((field) => (
        <p key={field.path}>
          <code>{field.path}</code> {field.message}
        </p>
      ))}
      <p className="mono">
        {problem.code}
        {problem.requestId && `, request ${problem.requestId}`}
      </p>
    </div>
  );
}

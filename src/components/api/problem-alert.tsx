import { Notice } from '../layout/notice';
import type { Problem } from './problem';

type ProblemAlertProps = { problem: Problem | null; title?: string };

export function ProblemAlert({ problem, title }: ProblemAlertProps) {
  if (!problem) return null;
  return (
    <Notice status="bounced" title={title ?? problem.message} role="alert">
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
    </Notice>
  );
}

import type { LineKind, MailService, OperationAction, OperationInput } from '@/lib/mail/operations';

/** An operation as an admin requested it. */
export type Operation = {
  id: string;
  action: OperationAction;
  /** Null for all services. */
  service: MailService | null;
  /** Shows what would be done, and changes nothing. */
  dryRun: boolean;
  /** The input of restore_mail or set_relay. */
  input: OperationInput | null;
};

export type Outcome = {
  state: 'succeeded' | 'failed' | 'rolled_back' | 'interrupted';
  /** A summary of what happened, in one or two sentences. */
  message: string;
  /** Whether the agent must restart to use the new settings. */
  isAgentOutdated?: boolean;
};

export type Report = (kind: LineKind, text: string) => void;

/** The function that a running operation reports to, and the signal that stops it between two steps. */
export type Run = { report: Report; signal: AbortSignal };

/** Performs an operation. It rejects only for reasons that nobody foresaw. */
export type Perform = (operation: Operation, run: Run) => Promise<Outcome>;

/** Ends an operation before its next step. Nothing, or everything that it changed, is undone. */
export class OperationFailure extends Error {}

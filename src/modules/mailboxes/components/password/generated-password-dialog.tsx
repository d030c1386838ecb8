import { SecretDialog } from '@/components/dialogs/secret-dialog';

type GeneratedPasswordDialogProps = { email: string; password: string; onStored: () => void };

export function GeneratedPasswordDialog({ email, password, onStored }: GeneratedPasswordDialogProps) {
  return (
    <SecretDialog
      title={`Copy the password for ${email}`}
      secret={password}
      copyLabel="Copy password"
      onDone={onStored}
    />
  );
}

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemAlert } from '../api/problem-alert';
import { FormColumn, FormFooter } from '../layout/form-layout';
import { PasswordField } from './password-field';
import type { ApiForm } from './use-api-form';

type SetPasswordFormProps<Values> = {
  api: ApiForm<Values>;
  /** Its email or address. */
  account: string;
  isSaved: boolean;
  onGenerate: (password: string) => void;
  /** Other fields. */
  children?: ReactNode;
};

/** Sets the password of an admin or mailbox. */
export function SetPasswordForm<Values extends { password: string }>(props: SetPasswordFormProps<Values>) {
  const { form, problem, isBusy, onSubmit } = props.api;
  const { password } = form.values;
  return (
    <form noValidate onSubmit={onSubmit}>
      <FormColumn>
        <PasswordField
          label="New password"
          account={props.account}
          {...form.getInputProps('password')}
          value={password}
          onGenerate={props.onGenerate}
        />
        {props.children}
        <ProblemAlert problem={problem} />
        <FormFooter>
          <Button type="submit" loading={isBusy} disabled={password === ''}>
            Set password
          </Button>
          <span className="quiet" role="status">
            {props.isSaved && password === '' ? 'Password changed' : ''}
          </span>
        </FormFooter>
      </FormColumn>
    </form>
  );
}

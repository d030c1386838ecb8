-- Breaks no version: beside the new one, the version before can’t list what was deleted while it includes a suppression.
ALTER TYPE "deleted_record_kind" ADD VALUE 'suppression' BEFORE 'template';

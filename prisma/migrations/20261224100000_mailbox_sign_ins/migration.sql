CREATE TABLE "mailbox_sign_in" (
    "mailbox_id" UUID NOT NULL,
    "client_address" TEXT NOT NULL,
    "protocol" TEXT NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mailbox_sign_in_pkey" PRIMARY KEY ("mailbox_id","client_address","protocol")
);

CREATE INDEX "mailbox_sign_in_last_at_idx" ON "mailbox_sign_in"("last_at");

ALTER TABLE "mailbox_sign_in" ADD CONSTRAINT "mailbox_sign_in_mailbox_id_fkey" FOREIGN KEY ("mailbox_id") REFERENCES "mailbox"("id") ON DELETE CASCADE ON UPDATE CASCADE;

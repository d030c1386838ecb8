export type Attachment = { filename: string; contentType: string; content: Uint8Array };

/** An attachment that the HTML can refer to. */
export type AttachedFile = Attachment & { contentId: string | null };

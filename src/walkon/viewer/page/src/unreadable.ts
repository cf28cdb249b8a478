/** The error for bytes that are no take that this page can play; its message is a sentence for the user. */
export class UnreadableTake extends Error {
  override readonly name = "UnreadableTake";
}

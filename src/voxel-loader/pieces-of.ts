/** What a stream brings, piece by piece: Safari's streams cannot be iterated. */
export async function* piecesOf<Piece>(reader: ReadableStreamDefaultReader<Piece>): AsyncGenerator<Piece> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

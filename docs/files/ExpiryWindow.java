import static java.nio.charset.StandardCharsets.UTF_8;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

class ExpiryWindow {
    /** For Jackson, which has to be told to ignore the file's other fields. */
    record Model(long granularityMinutes, long shards) {}

    static String window(Model model, long ttl, String... key) throws NoSuchAlgorithmException {
        var iso = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
        long length = model.granularityMinutes() * 60;
        long start = ttl - ttl % length;
        String text = iso.format(Instant.ofEpochSecond(start)) + "_" + iso.format(Instant.ofEpochSecond(start + length));
        byte[] digest = MessageDigest.getInstance("SHA-256").digest((String.join("\0", key) + "\0").getBytes(UTF_8));
        long shard = Integer.toUnsignedLong(ByteBuffer.wrap(digest).getInt()) % model.shards();
        return shard == 0 ? text : text + "#" + shard;
    }
}

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;

/** Fails unless the file named is one JSON object with a partition in it. Run on the class path of the command line's jar. */
final class ValidJson {
    public static void main(String[] args) throws Exception {
        JsonNode root = new ObjectMapper()
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .readTree(new File(args[0]));
        if (root.path("partitions").size() == 0) {
            throw new IllegalStateException(args[0] + " holds no partitions");
        }
    }
}

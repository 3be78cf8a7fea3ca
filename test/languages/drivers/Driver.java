import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads cases of JSON, one per line, and writes the attributes that go into the item. ExpiryWindow is that of docs/files. */
public class Driver {
    public static void main(String[] arguments) throws Exception {
        var json = new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
        var cases = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = cases.readLine(); line != null; line = cases.readLine()) {
            JsonNode one = json.readTree(line);
            JsonNode names = one.get("model");
            long ttl = one.get("ttl").asLong();
            Map<String, Object> made = new LinkedHashMap<>();
            made.put(names.get("ttlAttribute").asText(), ttl);
            if (names.get("indexedBy").asText().equals("window")) {
                var model = json.treeToValue(names, ExpiryWindow.Model.class);
                made.put(names.get("windowAttribute").asText(), ExpiryWindow.window(model, ttl, keyOf(one, names)));
            }
            output.println(json.writeValueAsString(made));
        }
        output.flush();
    }

    private static String[] keyOf(JsonNode one, JsonNode names) {
        List<String> key = new ArrayList<>();
        for (String role : List.of("partitionKey", "sortKey")) {
            if (!names.has(role)) continue;
            one.get("item").get(names.get(role).asText()).fields()
                .forEachRemaining(value -> key.add(value.getKey() + ":" + value.getValue().asText()));
        }
        return key.toArray(String[]::new);
    }
}
